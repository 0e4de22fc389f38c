import { listAt, textAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { virtualClusterInstanceKind } from '../../../api/management/v1/virtual-cluster-instance.ts';
import { dryRun, patchOptions } from '../../../management/management.fixture.ts';
import { storeOf } from '../../../registry/kind-stores.ts';
import { ControlledConnector, issuer, openOidcTestEnv, person } from './oidc.fixture.ts';
import { changeIdentity } from './user-identities.ts';

/** Creates two virtual clusters on a connected cluster. The team `red` may use one of them. */
async function setUp() {
  const connector = new ControlledConnector({ groupsToTeams: { devs: ['red'] }, adminGroups: ['root'] });
  const env = await openOidcTestEnv({ connectors: [connector] });
  const { create, admin, system, kinds, mounted, verbs } = env;
  await create('teams', 'red', {});
  await create('clusters', 'europe', { networkPeer: true });
  await create('projects', 'p', { allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] });
  for (const [name, teams] of [
    ['of-the-team', ['red']],
    ['of-admins', []],
  ] as const) {
    const access = [{ name: 'x', verbs: ['get', 'use'], teams: [...teams] }];
    await create('virtualclusterinstances', name, { clusterRef: { cluster: 'europe' }, access }, admin('p'));
    const document = { status: { serviceUID: `uid-of-${name}` } };
    await storeOf(kinds, virtualClusterInstanceKind).status?.patch(
      system('p'),
      name,
      { type: 'merge', document, findings: [] },
      patchOptions,
    );
  }
  const endIdentity = (state: 'Gone' | 'Expired' | 'Unavailable') =>
    changeIdentity(
      kinds,
      { user: 's1', link: { issuer, subject: 's1' } },
      (before) => before && { ...before, state },
      system(),
    );
  const disable = () =>
    verbs('users').patch(
      admin(),
      's1',
      { type: 'merge', document: { spec: { disabled: true } }, findings: [] },
      patchOptions,
    );
  /** Returns the virtual clusters whose service account tokens an offboarding of the person would revoke. */
  const revoked = async () => {
    const offboarding = mounted('users').subresources.offboard?.verbs.createNamed;
    if (offboarding === undefined) throw new Error('there is no offboarding');
    const body = { apiVersion: '', kind: '', metadata: {}, spec: { revokeUnattributed: true } };
    const { object } = await offboarding(admin(), 's1', body, dryRun);
    return listAt(object, 'status', 'items')
      .filter((item) => textAt(item, 'action') === 'Revoke')
      .map((item) => textAt(item, 'name'));
  };
  return { ...env, endIdentity, disable, revoked };
}

describe('the offboarding of a person whom the identity provider has removed before (decision 56)', () => {
  it.each(['Gone', 'Expired', 'Unavailable'] as const)(
    'includes virtual clusters that the person could use before the identity became %s',
    async (state) => {
      const { signIn, endIdentity, disable, revoked, state: management } = await setUp();
      await signIn({ identity: person('s1', { groups: ['devs'] }) });
      expect(await revoked()).toEqual(['of-the-team']);
      await endIdentity(state);
      expect(management.teamsOf('s1')).toEqual([]);
      expect(await revoked()).toEqual(['of-the-team']);
      await disable();
      expect(await revoked()).toEqual(['of-the-team']);
    },
  );

  it('includes all virtual clusters if the person was an administrator', async () => {
    const { signIn, endIdentity, revoked } = await setUp();
    await signIn({ identity: person('s1', { groups: ['root'] }) });
    await endIdentity('Gone');
    expect(new Set(await revoked())).toEqual(new Set(['of-the-team', 'of-admins']));
  });

  it('includes none if the person could use none', async () => {
    const { signIn, endIdentity, revoked } = await setUp();
    await signIn({ identity: person('s1', { groups: ['staff'] }) });
    await endIdentity('Gone');
    expect(await revoked()).toEqual([]);
  });
});
