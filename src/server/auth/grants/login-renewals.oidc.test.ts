import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../api/meta.ts';
import { generateAccessKey } from '../../../auth/access-key-format.ts';
import { systemContext } from '../../../controlplane/system-context.ts';
import { keyStateOf } from '../../../management/access-keys/access-key-state.ts';
import { patchOptions } from '../../../management/management.fixture.ts';
import { connectorSettings, openOidcTestEnv, person } from '../oidc/oidc.fixture.ts';
import { LoginRenewals } from './login-renewals.ts';

const merge = (document: object) => ({ type: 'merge', document, findings: [] }) as never;

async function setUp() {
  const env = await openOidcTestEnv();
  const { kinds, state, sealer, clock, logins, signIn } = env;
  const renewals = new LoginRenewals({
    ...{ kinds, state, sealer, clock, ttl: 3600, renewedTTL: 86_400, freshLoginSeconds: 0, secondFactor: 'off' },
    connectors: [connectorSettings],
  });
  /** Signs a person in, and opens a login of the command line beside the person's login. */
  const logIn = async (refreshToken?: string) => {
    const session = await signIn({
      identity: person('s1', { groups: ['dev'] }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
    });
    const opened = await logins.openBeside(session.name, 'Login of a test');
    if ('why' in opened) throw new Error(opened.why);
    return opened;
  };
  /** Records that the provider confirmed the person, as the leader does after a refresh. */
  const confirm = (name: string) =>
    env
      .verbs('accesskeys')
      .patch(
        systemContext(''),
        state.accessKey(name)?.spec?.parent ?? '',
        merge({ spec: { identityRefresh: timestamp(clock.now()) } }),
        patchOptions,
      );
  const stateOf = (name: string) => {
    const key = state.accessKey(name);
    return key && keyStateOf(key, state);
  };
  return { ...env, renewals, logIn, confirm, stateOf };
}

describe('the renewal of a login with an identity at a provider', () => {
  it('is possible while the provider confirms the person, and keeps identity, parent and groups', async () => {
    const { renewals, logIn, confirm, clock, state, stateOf } = await setUp();
    const { name, key, expiresAt } = await logIn('a token');
    expect(renewals.isRenewable(name)).toBe(true);
    const before = state.accessKey(name)?.spec;
    clock.advance(2_700_000);
    await confirm(name);
    const renewed = await renewals.renew(name, { from: key, to: generateAccessKey() });
    expect(renewed.expiresAt).toBe(expiresAt + 2_700_000);
    expect(renewed.confirmation).toMatch(/^connector "corp", subject "s1", signed in at .*, confirmed at /);
    const { identity, parent } = before ?? {};
    expect(state.accessKey(name)?.spec).toMatchObject({
      identity,
      parent,
      identityRefresh: timestamp(clock.now()),
    });
    expect(stateOf(name)?.user?.groups).toContain('dev');
  });

  it('waits while the provider has not confirmed the person for two intervals', async () => {
    const { renewals, logIn, confirm, clock, stateOf } = await setUp();
    const { name, key } = await logIn('a token');
    clock.advance(661_000);
    const next = generateAccessKey();
    await expect(renewals.renew(name, { from: key, to: next })).rejects.toMatchObject({
      code: 503,
      message: expect.stringMatching(/"corp" has not confirmed the person since 20/),
    });
    expect(stateOf(name)?.user).toBeDefined();
    await confirm(name);
    expect((await renewals.renew(name, { from: key, to: next })).isRenewable).toBe(true);
  });

  it('is refused if the provider issued no refresh token', async () => {
    const { renewals, logIn } = await setUp();
    const { name, key } = await logIn();
    expect(renewals.isRenewable(name)).toBe(false);
    await expect(renewals.renew(name, { from: key, to: generateAccessKey() })).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('issued no refresh token'),
    });
  });

  it('is refused after the identity has ended', async () => {
    const { renewals, logIn, verbs, admin } = await setUp();
    const { name, key } = await logIn('a token');
    await verbs('users').patch(admin(), 's1', merge({ spec: { identities: null } }), patchOptions);
    await expect(renewals.renew(name, { from: key, to: generateAccessKey() })).rejects.toMatchObject({ code: 401 });
  });

  it('keeps tokens and streams of the login valid, which a new value from its owner ends', async () => {
    const { renewals, logIn, stateOf, verbs, admin } = await setUp();
    const { name, key } = await logIn('a token');
    const versions = [stateOf(name)?.version];
    const [second, third] = [generateAccessKey(), generateAccessKey()];
    await renewals.renew(name, { from: key, to: second });
    versions.push(stateOf(name)?.version);
    await renewals.renew(name, { from: second, to: third });
    versions.push(stateOf(name)?.version);
    expect(new Set(versions).size).toBe(1);
    await verbs('accesskeys').patch(admin(), name, merge({ spec: { key: generateAccessKey() } }), patchOptions);
    expect(versions).not.toContain(stateOf(name)?.version);
    await expect(renewals.renew(name, { from: third, to: generateAccessKey() })).rejects.toMatchObject({ code: 401 });
  });
});
