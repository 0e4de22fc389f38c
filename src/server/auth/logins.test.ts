import { textAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { keyStateOf } from '../../management/access-keys/access-key-state.ts';
import { isLogin } from '../../management/access-keys/login-keys.ts';
import { openManagementTestEnv, patchOptions } from '../../management/management.fixture.ts';
import { type LoginsOptions, maxLogins, openLogins } from './logins.ts';

async function setUp() {
  const management = await openManagementTestEnv();
  const { plane, state, sealer, clock, create, verbs, admin } = management;
  await create('users', 'anna', { username: 'anna.smith', password: 'correct horse' });
  const logins = openLogins({ kinds: plane.kinds, state, sealer, ttl: 3600, clock, log: silentLog });
  const account = (name = 'anna') => {
    const found = logins.find(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const open = async () => {
    const opened = await logins.open(account());
    if (opened === undefined) throw new Error('it was not opened');
    return opened;
  };
  const setPassword = (password: string) =>
    verbs('users').patch(
      admin(),
      'anna',
      { type: 'merge', document: { spec: { password } }, findings: [] },
      patchOptions,
    );
  const live = () => [...state.accessKeysOf('user', 'anna')].filter(isLogin).map((key) => key.metadata.name ?? '');
  return { ...management, logins, account, open, setPassword, live };
}

describe('logins', () => {
  it('are found by name and by username, with the password hash', async () => {
    const { logins, account, create } = await setUp();
    expect(account('anna.smith')).toEqual(account('anna'));
    expect(account().hash).toMatch(/^scrypt\$/);
    expect(logins.find('nobody')).toBeUndefined();
    await create('users', 'bare', { disabled: true });
    expect(logins.find('bare')).toEqual({ user: 'bare', disabled: true, passwordFingerprint: '' });
  });

  it('are keys of the user that expire', async () => {
    const { open, state, clock } = await setUp();
    const opened = await open();
    expect(opened).toMatchObject({ user: { name: 'anna' }, expiresAt: clock.now() + 3_600_000 });
    expect(opened.key).toMatch(/^flk_/);
    expect(opened.name).toMatch(/^login-/);
    const key = state.accessKey(opened.name);
    expect(textAt(key, 'spec', 'key')).toBe('');
    expect(textAt(key, 'spec', 'type')).toBe('Login');
  });

  it('are not opened if the password changes after its check', async () => {
    const { logins, account, setPassword, live } = await setUp();
    const before = account();
    await setPassword('another horse');
    expect(await logins.open(before)).toBeUndefined();
    expect(live()).toEqual([]);
  });

  it('are rejected from the password change on, even before their removal', async () => {
    const { open, setPassword, state, plane, logins, live } = await setUp();
    const { name } = await open();
    const seen: unknown[] = [];
    plane.kinds.get('users.management.platform.sh')?.listen(() => {
      const key = state.accessKey(name);
      if (key !== undefined) seen.push(keyStateOf(key, state).user);
    });
    await setPassword('another horse');
    expect(seen[0]).toBeUndefined();
    expect(seen).toHaveLength(1);
    await logins.close();
    expect(live()).toEqual([]);
  });

  it('that have ended are removed by one server, and by the next one if that server is replaced', async () => {
    const { plane, state, sealer, clock, open, setPassword, live, logins, store } = await setUp();
    await logins.close();
    let start: Parameters<NonNullable<LoginsOptions['runOnOneServer']>>[0] = () => async () => {};
    const others = openLogins({
      ...{ kinds: plane.kinds, state, sealer, ttl: 3600, clock, log: silentLog },
      runOnOneServer(started) {
        start = started;
        return async () => {};
      },
    });
    const { name } = await open();
    await setPassword('another horse');
    expect(live()).toEqual([name]);
    const key = { slice: 'replicas', segments: ['members', 'a'] };
    const [revision] = await store.transact({ writes: [{ key, value: '' }] });
    const outdated = { key, revision };
    await store.transact({ writes: [{ key, value: 'taken over' }] });
    await start(outdated)();
    expect(live()).toEqual([name]);
    const { revision: current } = (await store.get(key)) ?? {};
    await start({ key, revision: current })();
    expect(live()).toEqual([]);
    await others.close();
  });

  it('are limited per user; a further one ends the oldest', async () => {
    const { open, live, clock } = await setUp();
    const first = await open();
    clock.advance(1000);
    for (let index = 1; index < maxLogins; index++) await open();
    expect(live()).toHaveLength(maxLogins);
    clock.advance(1000);
    const last = await open();
    expect(live()).toHaveLength(maxLogins);
    expect(live()).not.toContain(first.name);
    expect(live()).toContain(last.name);
  });

  it('work after they are opened, even if the limit was reached in the same second', async () => {
    const { open, live } = await setUp();
    for (let index = 0; index < maxLogins; index++) await open();
    for (let index = 0; index < 3; index++) {
      const { name } = await open();
      expect(live()).toContain(name);
      expect(live()).toHaveLength(maxLogins);
    }
  });

  it('with a key are counted separately, so that a key cannot end logins with the password', async () => {
    const { open, live, logins, create, as, clock } = await setUp();
    const byPassword = await open();
    await create('ownedaccesskeys', 'own', {}, as('anna'));
    const first = await logins.openWithKey('own');
    clock.advance(1000);
    for (let index = 0; index < maxLogins; index++) expect(await logins.openWithKey('own')).not.toHaveProperty('why');
    expect(live()).toHaveLength(maxLogins + 1);
    expect(live()).toContain(byPassword.name);
    expect(live()).not.toContain('name' in first ? first.name : '');
  });

  it('are not opened with a deleted key, nor with a key of such a login', async () => {
    const { logins, create, as, verbs, admin, live } = await setUp();
    expect(await logins.openWithKey('nothing')).toHaveProperty('why');
    await create('ownedaccesskeys', 'own', {}, as('anna'));
    const opened = await logins.openWithKey('own');
    expect(await logins.openWithKey('name' in opened ? opened.name : '')).toHaveProperty('why');
    const removal = verbs('accesskeys').delete(admin(), 'own', {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy: undefined,
      preconditions: {},
    });
    // The key is deleted during the login.
    await Promise.all([logins.openWithKey('own'), removal]);
    await logins.close();
    expect(live()).toEqual([]);
  });

  it('are ended once; other keys are not affected', async () => {
    const { open, logins, create, as, state } = await setUp();
    const { name } = await open();
    expect(await logins.end(name)).toBe(true);
    expect(await logins.end(name)).toBe(false);
    await create('ownedaccesskeys', 'own', {}, as('anna'));
    expect(await logins.end('own')).toBe(false);
    expect(state.accessKey('own')).toBeDefined();
  });
});
