import { describe, expect, it } from 'vitest';
import { adminsGroup } from '../../../api/naming.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { otherKeyValue } from '../../../management/access-keys/access-keys.fixture.ts';
import { patchOptions, rejectionStatus } from '../../../management/management.fixture.ts';
import type { Store } from '../../../store/store.ts';
import { openTestStore } from '../../../store/test-store.fixture.ts';
import { ControlledConnector, openOidcTestEnv, person } from './oidc.fixture.ts';

/** Opens a server on which s1 and s2 are members of the team green, and s1 has the groups `secret` and `root`. */
async function setUp(store?: Store) {
  const env = await openOidcTestEnv({
    connectors: [new ControlledConnector({ adminGroups: ['root'] })],
    ...(store === undefined ? {} : { store, clock: new ManualClock() }),
  });
  const { name: login } = await env.signIn({ identity: person('s1', { groups: ['secret', 'root'] }) });
  await env.signIn({ identity: person('s2') });
  await env.create('teams', 'green', { users: ['s1', 's2'] });
  const losesGroups = () => env.signIn({ identity: person('s1', { groups: [] }) });
  return { ...env, login, losesGroups };
}

// The caller of a request is determined before its body arrives.
describe('a request about an access key whose body arrives after the caller has lost a group', () => {
  it('cannot give the group to a key', async () => {
    const { as, create, login, losesGroups } = await setUp();
    const request = as('s1', '', login);
    await losesGroups();
    for (const group of ['secret', adminsGroup]) {
      for (const owner of [{}, { team: 'green' }]) {
        const made = create('ownedaccesskeys', 'kept', { ...owner, groups: [group] }, request);
        expect(await rejectionStatus(made)).toMatchObject({ code: 403 });
      }
    }
    expect(await create('ownedaccesskeys', 'mine', {}, request)).toMatchObject({ spec: { user: 's1' } });
  });

  it('cannot add the group to a key that exists', async () => {
    const { as, create, verbs, login, losesGroups, state } = await setUp();
    await create('ownedaccesskeys', 'mine', {}, as('s1', '', login));
    const request = as('s1', '', login);
    await losesGroups();
    const patch = { type: 'merge' as const, document: { spec: { groups: ['secret'] } }, findings: [] };
    const patched = verbs('ownedaccesskeys').patch(request, 'mine', patch, patchOptions);
    expect(await rejectionStatus(patched)).toMatchObject({ code: 403 });
    expect(state.accessKey('mine')?.spec?.groups).toBeUndefined();
  });

  it('cannot create a key for another user if the caller was an admin, also with impersonation', async () => {
    const { as, contextOf, create, login, losesGroups } = await setUp();
    const request = as('s1', '', login);
    const impersonating = contextOf(as('s2').user, '', login);
    expect(await create('ownedaccesskeys', 'made', {}, impersonating)).toMatchObject({ spec: { user: 's2' } });
    await losesGroups();
    for (const context of [request, impersonating]) {
      const made = create('ownedaccesskeys', 'kept', { user: 's2' }, context);
      expect(await rejectionStatus(made)).toMatchObject({ code: 403 });
    }
  });

  it('cannot create or change a key of a team that the caller has left', async () => {
    const { as, create, verbs, admin, signIn } = await setUp();
    const { name: login } = await signIn({ identity: person('s2') });
    await create('ownedaccesskeys', 'deploy', { team: 'green' }, as('s2', '', login));
    const request = as('s2', '', login);
    const leaves = { type: 'merge' as const, document: { spec: { users: ['s1'] } }, findings: [] };
    await verbs('teams').patch(admin(), 'green', leaves, patchOptions);
    expect(await rejectionStatus(create('ownedaccesskeys', 'kept', { team: 'green' }, request))).toMatchObject({
      code: 403,
    });
    const patch = { type: 'merge' as const, document: { spec: { key: otherKeyValue } }, findings: [] };
    const patched = verbs('ownedaccesskeys').patch(request, 'deploy', patch, patchOptions);
    expect(await rejectionStatus(patched)).toMatchObject({ code: 403 });
  });

  it('is checked again if the caller loses the group just before the key is stored', async () => {
    const shared = openTestStore({ clock: new ManualClock() });
    let beforeKey: (() => Promise<unknown>) | undefined;
    const store = new Proxy(shared, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name !== 'transact') return typeof member === 'function' ? member.bind(target) : member;
        return async (transaction: Parameters<Store['transact']>[0]) => {
          if (transaction.writes?.some(({ key }) => key.segments.includes('kept'))) {
            const run = beforeKey;
            beforeKey = undefined;
            await run?.();
          }
          return await target.transact(transaction);
        };
      },
    });
    const { as, admin, create, verbs, signIn } = await setUp(store);
    const { name: login } = await signIn({ identity: person('s2') });
    const setGroups = (groups: readonly string[]) => {
      const patch = { type: 'merge' as const, document: { spec: { groups: [...groups] } }, findings: [] };
      return verbs('users').patch(admin(), 's2', patch, patchOptions);
    };
    await setGroups(['assigned']);
    const request = as('s2', '', login);
    beforeKey = () => setGroups([]);
    const made = create('ownedaccesskeys', 'kept', { groups: ['assigned'] }, request);
    expect(await rejectionStatus(made)).toMatchObject({ code: 403 });
    expect(beforeKey).toBeUndefined();
  });
});
