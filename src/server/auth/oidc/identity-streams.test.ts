import { textAt } from '@flotilla/json';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../lib/log.ts';
import { accessKeyHashPurpose } from '../../../management/resources/accesskeys.ts';
import { soleReplica } from '../../../replicas/open-replicas.ts';
import { openAccessKeys } from '../access-keys.ts';
import { ControlledConnector, openOidcTestEnv, person } from './oidc.fixture.ts';

async function setUp() {
  const connector = new ControlledConnector({ groupsToTeams: { devs: ['red'] } });
  const env = await openOidcTestEnv({ connectors: [connector] });
  await env.create('teams', 'red', {});
  const { kinds, state, sealer, clock } = env;
  const hash = (token: string) => sealer.hash(accessKeyHashPurpose, token);
  const accessKeys = openAccessKeys({
    kinds,
    state,
    hash,
    replicas: soleReplica,
    isShared: false,
    clock,
    log: silentLog,
  });
  onTestFinished(() => accessKeys.close());
  /** Returns the signal that ends the streams of a login when its permissions change. */
  const streamOf = (key: string) => {
    const identity = accessKeys.authenticator.authenticate(key);
    if (identity?.permissionSignal === undefined) throw new Error('the key is not valid');
    return identity.permissionSignal();
  };
  return { ...env, streamOf, authenticate: (key: string) => accessKeys.authenticator.authenticate(key) };
}

describe('open streams of a user with an identity', () => {
  it('end when a group of the person changes', async () => {
    const { signIn, streamOf, clock } = await setUp();
    const { key } = await signIn({ identity: person('s1', { groups: ['staff', 'devs'] }) });
    const stream = streamOf(key);
    await signIn({ identity: person('s1', { groups: ['devs'] }) });
    clock.advance(1_000);
    expect(stream.aborted).toBe(true);
  });

  it('of a key of a team end when the member who gave the key a group loses it', async () => {
    const { signIn, streamOf, clock, create, as } = await setUp();
    await signIn({ identity: person('s1', { groups: ['devs', 'secret'] }) });
    const made = await create('ownedaccesskeys', 'deploy', { team: 'red', groups: ['secret'] }, as('s1'));
    const stream = streamOf(textAt(made, 'spec', 'key'));
    // In the same sign-in, the person also leaves the team.
    await signIn({ identity: person('s1', { groups: [] }) });
    clock.advance(1_000);
    expect(stream.aborted).toBe(true);
  });

  it('continue if a sign-in changes nothing', async () => {
    const { signIn, streamOf, clock } = await setUp();
    const { key } = await signIn({ identity: person('s1', { groups: ['devs'] }) });
    const stream = streamOf(key);
    clock.advance(1_000);
    await signIn({ identity: person('s1', { groups: ['devs'] }) });
    clock.advance(1_000);
    expect(stream.aborted).toBe(false);
  });

  it('end when a team of the person is deleted', async () => {
    const { signIn, streamOf, clock, verbs, admin } = await setUp();
    const { key } = await signIn({ identity: person('s1', { groups: ['devs'] }) });
    const stream = streamOf(key);
    const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: {} };
    await verbs('teams').delete(admin(), 'red', how);
    clock.advance(1_000);
    expect(stream.aborted).toBe(true);
  });

  it('of colleagues who can see the team end when the person joins it', async () => {
    const { signIn, streamOf, clock, create } = await setUp();
    const { key } = await signIn({ identity: person('s2') });
    const members = [
      { kind: 'Team', name: 'red', clusterRole: 'platform-management-project-user' },
      { kind: 'User', name: 's2', clusterRole: 'platform-management-project-user' },
    ];
    await create('projects', 'p', { members });
    const stream = streamOf(key);
    await signIn({ identity: person('s1', { groups: ['devs'] }) });
    clock.advance(1_000);
    expect(stream.aborted).toBe(true);
  });
});
