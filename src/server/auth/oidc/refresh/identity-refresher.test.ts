import { describe, expect, it, onTestFinished } from 'vitest';
import type { AuditEvent } from '../../../../api/audit/audit-event.ts';
import { adminsGroup } from '../../../../api/naming.ts';
import { ProviderError } from '../../../../auth/oidc/connector.ts';
import type { ProviderLogin } from '../../../../auth/oidc/provider-identity.ts';
import { ManualClock } from '../../../../lib/clock.ts';
import { silentLog } from '../../../../lib/log.ts';
import { lostKeeperReason } from '../../../../management/access-keys/access-key-creator.ts';
import { keyStateOf } from '../../../../management/access-keys/access-key-state.ts';
import { patchOptions } from '../../../../management/management.fixture.ts';
import type { ManagementSettings } from '../../../../management/settings.ts';
import { ControlledConnector, openOidcTestEnv, person } from '../oidc.fixture.ts';
import { type RunningIdentityRefresher, startIdentityRefresher } from './identity-refresher.ts';
import { RefreshCounters } from './refresh-report.ts';

const rules = { groupsToTeams: { devs: ['red'] }, adminGroups: ['root'], refreshSeconds: 300, unavailableSeconds: 900 };
const minute = 60_000;

async function setUp(management: Partial<ManagementSettings> = {}) {
  const clock = new ManualClock();
  const connector = new ControlledConnector(rules);
  const env = await openOidcTestEnv({ connectors: [connector], clock, management });
  await env.create('teams', 'red', {});
  const audited: AuditEvent[] = [];
  const counters = new RefreshCounters();
  const auditLog = { write: async (event: AuditEvent) => void audited.push(event), close: async () => {} };
  const options = { ...env, auditLog, counters, log: silentLog, random: () => 0 };
  const refreshers: RunningIdentityRefresher[] = [];
  const start = (connectors = env.connectors) => {
    const refresher = startIdentityRefresher({ ...options, connectors }, { fence: undefined, assertCurrent() {} });
    refreshers.push(refresher);
    onTestFinished(refresher.stop);
    return refresher.stop;
  };
  /** Advances the clock minute by minute, and waits until the work of each minute has ended. */
  const pass = async (minutes: number) => {
    for (let count = 0; count < minutes; count++) {
      clock.advance(minute);
      for (const refresher of refreshers) await refresher.idle();
    }
  };
  const keyOf = (name: string) => {
    const key = env.state.accessKey(name);
    return key && keyStateOf(key, env.state);
  };
  const login = (groups: readonly string[], refreshToken = 'token'): ProviderLogin => ({
    identity: person('s1', { groups }),
    refreshToken,
  });
  const identityOf = (user = 's1') => env.state.user(user)?.status?.identities?.[0];
  const counts = () => Object.fromEntries(counters.gauges()[0]?.values() ?? []);
  return { ...env, connector, start, pass, keyOf, login, identityOf, audited, counts };
}

describe('the refresh of identities', () => {
  it('withdraws groups, teams and administration that the person lost, also from access keys', async () => {
    const { signIn, create, as, connector, start, pass, keyOf, login, state, audited } = await setUp();
    const { name } = await signIn(login(['devs', 'root', 'staff']));
    await create('ownedaccesskeys', 'ci', {}, as('s1'));
    connector.people.set('token', login(['staff']));
    expect(keyOf('ci')?.user?.groups).toEqual(expect.arrayContaining(['devs', adminsGroup, 'platform:team:red']));
    start();
    await pass(4);
    expect(state.teamsOf('s1')).toEqual(['red']);
    await pass(2);
    for (const key of [name, 'ci']) {
      const groups = keyOf(key)?.user?.groups ?? [];
      expect(groups).toContain('staff');
      for (const lost of ['devs', adminsGroup, 'platform:team:red']) expect(groups).not.toContain(lost);
    }
    expect(state.accessKey(name)?.spec?.identity?.groups).toEqual(['staff']);
    expect(audited).toMatchObject([
      { verb: 'refresh', user: { username: 's1' }, decision: { allowed: true }, responseStatus: { code: 200 } },
    ]);
    expect(audited[0]?.decision?.reason).toContain('connector "corp", subject "s1"');
  });

  it('writes neither users nor audit events if nothing changed', async () => {
    const { signIn, connector, start, pass, login, state, audited, counts } = await setUp();
    await signIn(login(['devs']));
    connector.people.set('token', login(['devs']));
    const before = state.user('s1')?.metadata.resourceVersion;
    start();
    await pass(16);
    expect(counts()).toMatchObject({ unchanged: 3, changed: 0 });
    expect(state.user('s1')?.metadata.resourceVersion).toBe(before);
    expect(audited).toEqual([]);
  });

  it('audits the first failure of a series and the recovery, with connector, subject and key', async () => {
    const { signIn, connector, start, pass, login, state, audited, counts } = await setUp();
    const { name } = await signIn(login(['devs']));
    connector.people.set('token', 'Unavailable');
    start();
    await pass(10);
    expect(counts().unavailable).toBeGreaterThan(1);
    expect(audited).toHaveLength(1);
    connector.people.set('token', login(['devs']));
    await pass(20);
    expect(audited.map(({ responseStatus }) => responseStatus?.code)).toEqual([503, 200]);
    for (const event of audited) {
      expect(event).toMatchObject({ verb: 'refresh', user: { username: 's1' } });
      expect(event.accessKey).toBe(state.accessKey(name)?.spec?.parent);
      expect(event.decision?.reason).toContain('connector "corp", subject "s1"');
    }
    connector.people.set('token', 'Unavailable');
    await pass(6);
    expect(audited).toHaveLength(3);
  });

  it('restores the display name that the person changed, also if nothing changed at the provider', async () => {
    const { signIn, connector, start, pass, as, verbs, state } = await setUp();
    const identity = person('s1', { displayName: 'Anna', email: 'a@acme.example' });
    await signIn({ identity, refreshToken: 'token' });
    connector.people.set('token', { identity });
    const document = { spec: { displayName: 'The administrator' } };
    await verbs('users').patch(as('s1'), 's1', { type: 'merge', document, findings: [] }, patchOptions);
    expect(state.user('s1')?.spec?.displayName).toBe('The administrator');
    start();
    await pass(6);
    expect(state.user('s1')?.spec?.displayName).toBe('Anna');
  });

  it('withdraws groups that the person gave to the key of a team', async () => {
    const { signIn, create, as, connector, start, pass, keyOf, login } = await setUp();
    await signIn(login(['devs', 'root']));
    await create('ownedaccesskeys', 'deploy', { team: 'red', groups: ['devs', adminsGroup] }, as('s1'));
    expect(keyOf('deploy')?.user?.groups).toEqual(expect.arrayContaining(['devs', adminsGroup]));
    connector.people.set('token', login(['devs']));
    start();
    await pass(6);
    expect(keyOf('deploy')?.user?.groups).toContain('devs');
    expect(keyOf('deploy')?.user?.groups).not.toContain(adminsGroup);
  });

  it('uses each replaced token once', async () => {
    const { signIn, connector, start, pass, login } = await setUp();
    await signIn(login(['devs'], 'one'));
    connector.people.set('one', login(['devs'], 'two'));
    connector.people.set('two', login(['devs'], 'three'));
    connector.people.set('three', login(['devs'], 'four'));
    start();
    await pass(16);
    expect(connector.used).toEqual(['one', 'two', 'three']);
  });

  it('ends logins, permissions and access keys of a person who is gone, until the next sign-in', async () => {
    const { signIn, create, as, start, pass, keyOf, login, identityOf, state, audited } = await setUp();
    const { name } = await signIn(login(['devs']));
    await create('ownedaccesskeys', 'ci', {}, as('s1'));
    const parent = state.accessKey(name)?.spec?.parent ?? '';
    start();
    await pass(6);
    expect(identityOf()?.state).toBe('Gone');
    expect(keyOf(name)?.user).toBeUndefined();
    expect(keyOf('ci')?.user).toBeUndefined();
    expect(state.teamsOf('s1')).toEqual([]);
    expect(state.accessKey(parent)).toBeUndefined();
    expect(audited.map(({ responseStatus }) => responseStatus?.code)).toEqual([401]);
    await pass(1);
    await signIn(login(['devs'], 'new'));
    expect(keyOf('ci')?.user?.groups).toContain('platform:team:red');
    expect(keyOf(name)?.user).toBeUndefined();
  });

  it('keeps the access keys of a person who is gone at the provider but has a password', async () => {
    const { signIn, create, as, verbs, admin, start, pass, keyOf, login } = await setUp();
    const { name } = await signIn(login(['devs']));
    await create('ownedaccesskeys', 'ci', {}, as('s1'));
    const document = { spec: { password: 'correct horse' } };
    await verbs('users').patch(admin(), 's1', { type: 'merge', document, findings: [] }, patchOptions);
    start();
    await pass(6);
    expect(keyOf(name)?.user).toBeUndefined();
    expect(keyOf('ci')?.user?.groups).not.toContain('platform:team:red');
  });

  it('ends the access keys of a person with a password who is gone, if passwords are disabled', async () => {
    const auth = { freshLoginSeconds: 0, password: { enabled: false } };
    const { signIn, create, as, verbs, admin, start, pass, keyOf, login } = await setUp({ auth });
    await signIn(login(['devs']));
    await create('ownedaccesskeys', 'ci', {}, as('s1'));
    const document = { spec: { password: 'correct horse' } };
    await verbs('users').patch(admin(), 's1', { type: 'merge', document, findings: [] }, patchOptions);
    expect(keyOf('ci')?.user?.name).toBe('s1');
    start();
    await pass(6);
    expect(keyOf('ci')?.user).toBeUndefined();
  });

  it('takes the keeper from keys that a person who is gone created for a team', async () => {
    const { signIn, create, as, start, pass, login, state } = await setUp();
    await signIn(login([]));
    await create('teams', 'blue', { users: ['s1'] });
    await create('ownedaccesskeys', 'blue', { team: 'blue' }, as('s1'));
    const reason = () => {
      const key = state.accessKey('blue');
      return key && lostKeeperReason(key, state);
    };
    expect(reason()).toBeUndefined();
    start();
    await pass(6);
    expect(reason()).toContain('is gone at the identity provider');
  });

  it('keeps logins while the provider does not answer, and ends them after the set time', async () => {
    const { signIn, create, as, connector, start, pass, keyOf, login, identityOf, audited } = await setUp();
    const { name } = await signIn(login(['devs']));
    await create('ownedaccesskeys', 'ci', {}, as('s1'));
    connector.people.set('token', 'Unavailable');
    start();
    await pass(14);
    expect(keyOf(name)?.user?.groups).toContain('devs');
    await pass(3);
    expect(identityOf()?.state).toBe('Unavailable');
    expect(keyOf(name)?.user).toBeUndefined();
    expect(keyOf('ci')?.user?.groups).not.toContain('devs');
    const failures = audited.map(({ decision }) => decision?.reason ?? '');
    expect(failures).toEqual([
      expect.stringContaining('failed, and is tried again: Unavailable in a test'),
      expect.stringContaining('has not confirmed the identity since'),
    ]);
    connector.people.set('token', login(['devs']));
    await pass(30);
    expect(identityOf()?.state).toBe('Active');
    expect(keyOf('ci')?.user?.groups).toContain('devs');
    expect(keyOf(name)?.user).toBeUndefined();
  });

  it('does not count if the person signs in during the refresh', async () => {
    const { signIn, connector, start, pass, login, identityOf, refreshKeys, state } = await setUp();
    await signIn(login(['devs'], 'old'));
    connector.beforeAnswer = async () => {
      connector.beforeAnswer = () => Promise.resolve();
      await signIn(login(['devs'], 'new'));
    };
    connector.people.set('new', login(['devs'], 'new'));
    start();
    await pass(6);
    expect(identityOf()?.state).toBe('Active');
    const parent = [...state.accessKeysOf('user', 's1')].find(({ spec }) => spec?.type === 'OIDCRefreshToken');
    expect(parent && refreshKeys.secretsOf(parent)?.refreshToken).toBe('new');
  });

  it('finds that a person left while the provider was down, also if the provider replaces tokens', async () => {
    const { signIn, create, as, connector, start, pass, keyOf, login, identityOf } = await setUp();
    await signIn(login(['devs'], 'one'));
    await create('ownedaccesskeys', 'ci', {}, as('s1'));
    connector.people.set('one', login(['devs'], 'two'));
    connector.people.set('two', 'Unavailable');
    start();
    await pass(12);
    connector.people.delete('two');
    await pass(6);
    expect(identityOf()?.state).toBe('Gone');
    expect(keyOf('ci')?.user).toBeUndefined();
  });

  it('keeps the access keys if the response that replaced the token was lost', async () => {
    const { signIn, create, as, connector, start, pass, keyOf, login, identityOf } = await setUp();
    await signIn(login(['devs'], 'one'));
    await create('ownedaccesskeys', 'ci', {}, as('s1'));
    connector.people.set('one', login(['devs'], 'two'));
    start();
    await pass(6);
    const lost = new ProviderError('Unavailable', 'no answer', { isOutcomeUnknown: true });
    connector.beforeAnswer = () => Promise.reject(lost);
    await pass(5);
    connector.beforeAnswer = () => Promise.resolve();
    await pass(6);
    expect(identityOf()?.state).toBe('Expired');
    expect(keyOf('ci')?.user?.name).toBe('s1');
  });

  it('that was interrupted after the provider replaced the token ends the logins, but not the access keys', async () => {
    const { signIn, create, as, connector, start, pass, keyOf, login, identityOf } = await setUp();
    const { name } = await signIn(login(['devs'], 'one'));
    await create('ownedaccesskeys', 'ci', {}, as('s1'));
    connector.people.set('one', login(['devs'], 'two'));
    const stop = start();
    await pass(6);
    connector.beforeAnswer = () => Promise.reject(new Error('the process was killed in a test'));
    await pass(5);
    await stop();
    connector.beforeAnswer = () => Promise.resolve();
    start();
    await pass(6);
    expect(identityOf()).toMatchObject({ state: 'Expired', message: expect.stringContaining('sign in again') });
    expect(keyOf(name)?.user).toBeUndefined();
    expect(keyOf('ci')?.user?.groups).not.toContain('devs');
  });
});

describe('an identity without a refresh token', () => {
  it('gives permissions until the last login ends', async () => {
    const { signIn, create, as, start, pass, keyOf, identityOf } = await setUp();
    await signIn({ identity: person('s1', { groups: ['devs'] }) });
    await create('ownedaccesskeys', 'ci', {}, as('s1'));
    start();
    await pass(58);
    expect(keyOf('ci')?.user?.groups).toContain('devs');
    await pass(4);
    expect(identityOf()?.state).toBe('Expired');
    expect(keyOf('ci')?.user?.groups).not.toContain('devs');
    expect(keyOf('ci')?.user?.groups).toContain('platform:user:s1');
  });
});

describe('a start with other settings', () => {
  it('evaluates the groups of all identities again', async () => {
    const { signIn, start, pass, state } = await setUp();
    await signIn({ identity: person('s1', { groups: ['devs', 'root'] }) });
    start(new Map([['corp', new ControlledConnector({ groupsToTeams: { root: ['red'] } })]]));
    await pass(1);
    expect(state.user('s1')?.status?.identities).toMatchObject([{ teams: ['red'], state: 'Active' }]);
    expect(state.user('s1')?.status?.identities?.[0]?.admin).toBeUndefined();
  });

  it('gives the groups the new prefix of the connector', async () => {
    const { signIn, start, pass, keyOf } = await setUp();
    const { name } = await signIn({ identity: person('s1', { groups: ['devs'] }) });
    start(new Map([['corp', new ControlledConnector({ ...rules, groupsPrefix: 'corp:' })]]));
    await pass(1);
    expect(keyOf(name)?.user?.groups).toEqual(expect.arrayContaining(['corp:devs', 'platform:team:red']));
    expect(keyOf(name)?.user?.groups).not.toContain('devs');
  });

  it('ends the identities of a connector that was removed', async () => {
    const { signIn, start, pass, keyOf, identityOf } = await setUp();
    const { name } = await signIn({ identity: person('s1', { groups: ['devs'] }) });
    start(new Map());
    await pass(1);
    expect(identityOf()?.state).toBe('Expired');
    expect(keyOf(name)?.user).toBeUndefined();
  });
});
