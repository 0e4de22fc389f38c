import { describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { keyStateOf } from '../../management/access-keys/access-key-state.ts';
import { requireFreshLogin } from '../../management/access-keys/fresh-login.ts';
import { openManagementTestEnv, patchOptions } from '../../management/management.fixture.ts';
import { defaultManagementSettings } from '../../management/settings.ts';
import { type OpenedLogin, openLogins } from './logins.ts';
import { openOidcTestEnv, person } from './oidc/oidc.fixture.ts';

const merge = (document: object) => ({ type: 'merge', document, findings: [] }) as never;

async function setUp() {
  const management = await openManagementTestEnv();
  const { plane, state, sealer, clock, create, verbs, admin } = management;
  await create('users', 'anna', { password: 'correct horse' });
  const logins = openLogins({ kinds: plane.kinds, state, sealer, ttl: 3600, clock, log: silentLog });
  const opened = (login: OpenedLogin | { why: string } | undefined): OpenedLogin => {
    if (login === undefined || 'why' in login) throw new Error(`not opened: ${login?.why}`);
    return login;
  };
  const byPassword = async () => {
    const account = logins.find('anna');
    if (account === undefined) throw new Error('there is no anna');
    return opened(await logins.open(account));
  };
  const beside = async (name: string) => opened(await logins.openBeside(name, 'Login of a test'));
  const isValid = (name: string) => {
    const key = state.accessKey(name);
    return key !== undefined && keyStateOf(key, state).user !== undefined;
  };
  const setPassword = (password: string) =>
    verbs('users').patch(admin(), 'anna', merge({ spec: { password } }), patchOptions);
  return { ...management, logins, byPassword, beside, isValid, setPassword, opened };
}

describe('a login beside another one', () => {
  it('has the same user and a key of its own, and stays if the first one ends', async () => {
    const { byPassword, beside, logins, isValid } = await setUp();
    const first = await byPassword();
    const second = await beside(first.name);
    expect([second.owner, second.name === first.name, second.key === first.key]).toEqual(['anna', false, false]);
    await logins.end(first.name);
    expect([isValid(first.name), isValid(second.name)]).toEqual([false, true]);
  });

  it('ends no later than the first one, however many are opened one beside the other', async () => {
    const { byPassword, beside, clock } = await setUp();
    const first = await byPassword();
    clock.advance(1_800_000);
    const second = await beside(first.name);
    expect(second.expiresAt).toBeLessThanOrEqual(first.expiresAt);
    clock.advance(1_200_000);
    const third = await beside(second.name);
    expect(third.expiresAt).toBeLessThanOrEqual(first.expiresAt);
    expect(third.expiresAt).toBeGreaterThan(first.expiresAt - 2_000);
  });

  it('counts as opened when the user typed the password for the first one', async () => {
    const { byPassword, beside, clock, state } = await setUp();
    const settings = { ...defaultManagementSettings, auth: { freshLoginSeconds: 900 } };
    const change = { resource: { group: '', resource: 'users' }, name: 'anna', change: 'setting a password' };
    const check = (accessKey: string) =>
      requireFreshLogin(change, { system: false, accessKey } as never, { state, settings, clock });
    const first = await byPassword();
    clock.advance(800_000);
    const second = await beside(first.name);
    check(second.name);
    const third = await beside(second.name);
    clock.advance(101_000);
    for (const { name } of [first, second, third])
      expect(() => check(name)).toThrow(/requires a login with a password/);
  });

  it('has the scope and the allowed addresses that the first one was given', async () => {
    const { byPassword, beside, verbs, admin, state } = await setUp();
    const first = await byPassword();
    const scope = { projects: [{ project: 'default' }] };
    const document = { spec: { scope, allowedCIDRs: ['10.0.0.0/8'] } };
    await verbs('accesskeys').patch(admin(), first.name, merge(document), patchOptions);
    const second = await beside((await beside(first.name)).name);
    const key = state.accessKey(second.name);
    expect(key && keyStateOf(key, state)).toMatchObject({
      scopes: expect.stringContaining('default'),
      addresses: expect.stringContaining('10.0.0.0/8'),
    });
  });

  it('with a password ends with a change of the password', async () => {
    const { byPassword, beside, setPassword, isValid } = await setUp();
    const second = await beside((await byPassword()).name);
    await setPassword('battery staple');
    expect(isValid(second.name)).toBe(false);
  });

  it('with an access key has its scope, and ends with a change of that key', async () => {
    const { logins, opened, beside, isValid, create, as, verbs, admin, state } = await setUp();
    await create('ownedaccesskeys', 'own', { scope: { projects: [{ project: 'default' }] } }, as('anna'));
    const first = opened(await logins.openWithKey('own'));
    const second = await beside(first.name);
    const scopesOf = (name: string) => {
      const key = state.accessKey(name);
      return key && keyStateOf(key, state).scopes;
    };
    expect(scopesOf(first.name)).toContain('default');
    expect(scopesOf(second.name)).toEqual(scopesOf(first.name));
    await verbs('accesskeys').patch(admin(), 'own', merge({ spec: { disabled: true } }), patchOptions);
    expect(await logins.openBeside(first.name, '')).toEqual({ why: 'the login has ended' });
    expect(logins.describe(second.name)).toBeUndefined();
    expect(isValid('own')).toBe(true);
  });

  it('of a provider has the same identity and parent, and ends with the link to the identity', async () => {
    const { signIn, logins, state, verbs, admin } = await openOidcTestEnv();
    const first = await signIn({ identity: person('s1', { groups: ['dev'] }), refreshToken: 'a token' });
    const second = await logins.openBeside(first.name, 'Login of a test');
    const name = 'name' in second ? second.name : '';
    const { identity, identityRefresh, parent } = state.accessKey(first.name)?.spec ?? {};
    expect([identity?.userId, parent]).toEqual(['s1', expect.stringMatching(/./)]);
    expect(state.accessKey(name)?.spec).toMatchObject({ identity, identityRefresh, parent });
    await verbs('users').patch(admin(), 's1', merge({ spec: { identities: null } }), patchOptions);
    expect(logins.describe(name)).toBeUndefined();
  });

  it('is not opened beside an ended login, or beside a key that is not a login', async () => {
    const { byPassword, logins, create, as, clock } = await setUp();
    const first = await byPassword();
    await create('ownedaccesskeys', 'own', {}, as('anna'));
    clock.advance(3_600_000);
    for (const name of [first.name, 'own', 'nothing'])
      expect(await logins.openBeside(name, '')).toEqual({ why: 'the login has ended' });
  });
});
