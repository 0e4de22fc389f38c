import { describe, expect, it } from 'vitest';
import { accessKeyPhase } from '../../api/management/access-key-life.ts';
import type { KubeObject } from '../../api/meta.ts';
import { isWellFormedAccessKey } from '../../auth/access-key-format.ts';
import { textAt, valueAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { keyStateOf, scopesOf } from '../access-key-state.ts';
import {
  deleting,
  dryRun,
  latest,
  listing,
  type Management,
  openManagement,
  patching,
  refusal,
  watching,
  writing,
} from '../management.fixture.ts';

const own = 'a-key-of-my-own.0123456789~abcdefgh';
const other = 'another-key-of-mine.0123456789~ABCD';

async function setUp(settings = {}) {
  const management = await openManagement(settings);
  await management.create('users', 'anna', {});
  await management.create('users', 'bob', {});
  await management.create('teams', 'red', { users: ['anna'], groups: ['reds'] });
  const make = (spec: JsonObject, context = management.as('anna'), name = 'k') =>
    management.create('ownedaccesskeys', name, spec, context);
  const stored = (name = 'k') => {
    const found = management.state.accessKey(name);
    if (found === undefined) throw new Error(`no key ${name}`);
    return found;
  };
  return { ...management, make, stored };
}

async function dumped(management: Management): Promise<string> {
  const rows: string[] = [];
  for await (const row of management.store.dump()) rows.push(JSON.stringify(row));
  return rows.join('\n');
}

describe('the value of an access key (completions §5)', () => {
  it('is made by the server and told once, to the creating call', async () => {
    const { make, verbs, as, stored, ...rest } = await setUp();
    const made = await make({ displayName: 'mine' });
    const key = textAt(made, 'spec', 'key');
    expect(key).toMatch(/^flk_/);
    expect(isWellFormedAccessKey(key)).toBe(true);
    expect(made.kind).toBe('OwnedAccessKey');
    expect(made).toMatchObject({ spec: { user: 'anna', type: 'User', displayName: 'mine' } });

    const { get, list, update } = verbs('ownedaccesskeys');
    const read = await get(as('anna'), 'k', latest);
    expect(valueAt(read.object, 'spec', 'key')).toBeUndefined();
    const listed = await list(as('anna'), listing);
    expect(listed.items.map((item) => item.json()).join()).not.toContain('flk_');
    expect(JSON.stringify(stored())).not.toContain('flk_');
    const put = await update(as('anna'), 'k', read.object, writing);
    expect(put.object).toEqual(read.object);
    expect(await dumped({ make, verbs, as, stored, ...rest } as unknown as Management)).not.toContain(key);
  });

  it('is revealed by no dry run', async () => {
    const { verbs, as, sent } = await setUp();
    const made = await verbs('ownedaccesskeys').create(as('anna'), sent('ownedaccesskeys', 'k', { spec: {} }), dryRun);
    expect(made.json()).not.toContain('flk_');
  });

  it('is told by an apply that creates, and not by one that changes', async () => {
    const { verbs, as } = await setUp();
    const apply = (spec: JsonObject) =>
      verbs('ownedaccesskeys').patch(
        as('anna'),
        'k',
        {
          type: 'apply',
          object: { apiVersion: 'management.platform.sh/v1', kind: 'OwnedAccessKey', metadata: { name: 'k' }, spec },
        },
        patching,
      );
    const first = await apply({ key: own, displayName: 'a' });
    expect(first.created).toBe(true);
    expect(textAt(first.object, 'spec', 'key')).toBe(own);
    const again = await apply({ key: own, displayName: 'a' });
    expect(again.json()).not.toContain(own);
    expect(again.object.metadata.resourceVersion).toBe(first.object.metadata.resourceVersion);
    const changed = await apply({ key: other, displayName: 'b' });
    expect(changed.json()).not.toContain(other);
    expect(changed.object).toMatchObject({ kind: 'OwnedAccessKey', spec: { displayName: 'b' } });
  });

  it('is kept by a write without it, kept by the same, replaced by a new one', async () => {
    const management = await setUp();
    const { make, verbs, as, state } = management;
    const made = await make({ key: own });
    const hash = () => textAt(state.accessKeyHidden('k'), 'keyHash');
    const first = hash();
    const merge = (document: JsonObject) =>
      verbs('ownedaccesskeys').patch(as('anna'), 'k', { type: 'merge', document, findings: [] }, patching);
    const unchanged = await merge({ spec: { key: own } });
    expect(unchanged.object.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    await merge({ spec: { displayName: 'x' } });
    expect(hash()).toBe(first);
    const replaced = await merge({ spec: { key: other } });
    expect(hash()).not.toBe(first);
    expect(replaced.json()).not.toContain(other);
    expect(await dumped(management)).not.toContain(other);
  });

  it('is refused with one and the same text if it is weak, mistyped or in use', async () => {
    const { make, as } = await setUp();
    await make({ key: own });
    const texts = new Set<string>();
    for (const key of ['short', `flk_${'x1y2z3a4b5'.repeat(4)}000000`, 'a'.repeat(40), `${own} `]) {
      texts.add((await refusal(make({ key }, as('bob'), 'other'))).message ?? '');
    }
    const taken = await refusal(make({ key: own }, as('bob'), 'other'));
    texts.add(taken.message ?? '');
    expect(taken).toMatchObject({ code: 422, reason: 'Invalid', details: { kind: 'OwnedAccessKey' } });
    expect([...texts]).toHaveLength(1);
    expect([...texts][0]).not.toContain(own);
    expect([...texts][0]).toContain('OwnedAccessKey.management.platform.sh "other" is invalid: spec.key:');
  });

  it('is cut out of the last-applied annotation', async () => {
    const { verbs, as, sent } = await setUp();
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const annotations = {
      [annotation]: JSON.stringify({ kind: 'OwnedAccessKey', spec: { key: own, displayName: 'a' } }),
    };
    const body = sent('ownedaccesskeys', 'k', { spec: { key: own, displayName: 'a' } }, { annotations });
    const made = await verbs('ownedaccesskeys').create(as('anna'), body, writing);
    expect(made.object.metadata.annotations?.[annotation]).toBe(
      '{"kind":"OwnedAccessKey","spec":{"displayName":"a"}}\n',
    );
  });

  it('cannot be found by a JSON patch test, and never shows in a watch', async () => {
    const { make, verbs, as } = await setUp();
    const stream = await verbs('ownedaccesskeys').watch(as('anna'), watching);
    await make({ key: own });
    const operations = [{ op: 'test', path: '/spec/key', value: own }];
    const patch = { type: 'json' as const, operations, findings: [] };
    expect((await refusal(verbs('ownedaccesskeys').patch(as('anna'), 'k', patch, patching))).code).toBe(422);
    for await (const event of stream) {
      if (event.type !== 'ADDED') continue;
      expect(event.object.json()).not.toContain(own);
      expect(event.object.object.kind).toBe('OwnedAccessKey');
      break;
    }
  });

  it('needs no name', async () => {
    const { make, as } = await setUp();
    const made = await make({}, as('anna'), '');
    expect(made.metadata.name).toMatch(/^key-[a-z0-9]{5}$/);
  });
});

describe('whom an access key is for (completions §5)', () => {
  it('is the caller where nobody is named', async () => {
    const { make, contextOf } = await setUp();
    expect(await make({})).toMatchObject({ spec: { user: 'anna' } });
    const team = contextOf({ name: 'platform:team:red', groups: ['platform:team:red'] }, '');
    expect(await make({}, team, 't')).toMatchObject({ spec: { team: 'red' } });
  });

  it('is the caller, a team of theirs, or for admins anybody who exists', async () => {
    const { make, as, admin } = await setUp();
    expect(await make({ team: 'red' })).toMatchObject({ spec: { team: 'red' } });
    expect((await refusal(make({ user: 'bob' }, as('anna'), 'x'))).code).toBe(403);
    expect((await refusal(make({ team: 'red' }, as('bob'), 'x'))).code).toBe(403);
    expect((await refusal(make({ subject: 'robot' }, as('anna'), 'x'))).code).toBe(403);
    expect(await make({ user: 'bob' }, admin(), 'b')).toMatchObject({ spec: { user: 'bob' } });
    expect(await make({ subject: 'robot', groups: ['g'] }, admin(), 's')).toMatchObject({ spec: { subject: 'robot' } });
    expect(await refusal(make({ user: 'nobody' }, admin(), 'x'))).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.user', reason: 'FieldValueNotFound' }] },
    });
  });

  it('is one, fixed after creation, and never begins with system:', async () => {
    const { make, admin, verbs, as } = await setUp();
    expect((await refusal(make({ user: 'anna', team: 'red' }))).code).toBe(422);
    for (const spec of [
      { subject: 'system:admin' },
      { groups: ['system:masters'] },
      { subject: 'platform:team:red' },
    ]) {
      expect((await refusal(make(spec, admin(), 'x'))).code).toBe(422);
    }
    await make({});
    const patch = { type: 'merge' as const, document: { spec: { user: 'bob' } }, findings: [] };
    expect(await refusal(verbs('ownedaccesskeys').patch(as('anna'), 'k', patch, patching))).toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.user: Invalid value: "bob": field is immutable'),
    });
  });

  it('gives no groups that the caller does not have, except by admins', async () => {
    const { make, as, admin } = await setUp();
    expect((await refusal(make({ groups: ['platform:admins'] }))).code).toBe(403);
    expect((await refusal(make({ groups: ['reds'] }, as('bob'), 'x'))).code).toBe(403);
    expect(await make({ user: 'bob', groups: ['x'] }, admin(), 'x')).toMatchObject({ spec: { groups: ['x'] } });
  });
});

describe('own keys and those of others (completions §5)', () => {
  it('shows the own and those of teams, and nobody else exists', async () => {
    const { make, as, admin, verbs } = await setUp();
    await make({});
    await make({ team: 'red' }, admin(), 'of-red');
    await make({}, as('bob'), 'of-bob');
    const owned = verbs('ownedaccesskeys');
    const names = async (who: string) =>
      (await owned.list(as(who), listing)).items.map((item) => item.object.metadata.name);
    expect(await names('anna')).toEqual(['k', 'of-red']);
    expect(await names('bob')).toEqual(['of-bob']);
    expect(await names('admin')).toEqual(['admin']);
    const missing = await refusal(owned.get(as('anna'), 'of-bob', latest));
    expect(missing).toEqual(
      await refusal(owned.get(as('anna'), 'never', latest)).then((status) => ({
        ...status,
        message: status.message?.replace('never', 'of-bob'),
        details: { ...status.details, name: 'of-bob' },
      })),
    );
    expect(missing).toMatchObject({ code: 404, details: { kind: 'ownedaccesskeys' } });
    expect((await refusal(owned.delete(as('anna'), 'of-bob', deleting))).code).toBe(404);
    expect((await refusal(make({}, as('anna'), 'of-bob'))).message).toBe(
      'ownedaccesskeys.management.platform.sh "of-bob" already exists',
    );
    const patch = { type: 'merge' as const, document: {}, findings: [] };
    expect((await refusal(owned.patch(as('anna'), 'of-bob', patch, patching))).code).toBe(404);
    const all = await verbs('accesskeys').list(admin(), listing);
    expect(all.items.map((item) => item.object.metadata.name)).toEqual(['admin', 'k', 'of-bob', 'of-red']);
    expect(await owned.delete(as('anna'), 'k', deleting)).toMatchObject({
      gone: { details: { kind: 'ownedaccesskeys' } },
    });
  });

  it('lists those of one user or team for admins, and creates no AccessKey by apply', async () => {
    const { make, mounted, admin, verbs } = await setUp();
    await make({});
    const answer = await mounted('users').subresources.accesskeys?.verbs.get?.(admin(), 'anna', latest);
    expect(answer?.object).toMatchObject({ kind: 'UserAccessKeys', accessKeys: [{ metadata: { name: 'k' } }] });
    expect(verbs('accesskeys').create).toBeUndefined();
    const object = { apiVersion: 'management.platform.sh/v1', kind: 'AccessKey', metadata: { name: 'new' }, spec: {} };
    expect((await refusal(verbs('accesskeys').patch(admin(), 'new', { type: 'apply', object }, patching))).code).toBe(
      404,
    );
  });
});

describe('fields of the server (completions §5)', () => {
  const login = {
    identity: { userId: 'u', connectorData: 'secret-data' },
    oidcLogin: { idToken: 'secret-id', accessToken: 'secret-access', refreshToken: 'secret-refresh' },
    parent: 'p',
  };

  it('are dropped from others with a Warning', async () => {
    const { make, as } = await setUp();
    const context = as('anna');
    const made = await make(login, context);
    for (const field of Object.keys(login)) expect(valueAt(made, 'spec', field)).toBeUndefined();
    expect(context.warnings).toHaveLength(3);
  });

  it('are taken from the server, and their secrets never returned or kept in clear', async () => {
    const management = await setUp();
    const { system, sent, plane, verbs, as, state } = management;
    const keys = plane.kinds.get('accesskeys.management.platform.sh');
    const made = await keys?.verbs.create(
      system(),
      sent('accesskeys', 'k', { spec: { ...login, user: 'anna', type: 'Login' } }),
      writing,
    );
    expect(made?.object).toMatchObject({ spec: { identity: { userId: 'u' }, parent: 'p', type: 'Login' } });
    expect(made?.json()).not.toContain('secret-');
    expect(await dumped(management)).not.toContain('secret-');
    expect(Object.keys(state.accessKeyHidden('k') ?? {}).sort()).toEqual(['connectorData', 'keyHash', 'oidcTokens']);
    const context = as('anna');
    const read = await verbs('ownedaccesskeys').get(context, 'k', latest);
    const put = await verbs('ownedaccesskeys').update(context, 'k', read.object, writing);
    expect(put.object).toEqual(read.object);
    expect(context.warnings).toEqual([]);
  });

  it('types beyond User and Other are the server’s', async () => {
    const { make } = await setUp();
    expect(await make({ type: 'Other' })).toMatchObject({ spec: { type: 'Other' } });
    expect((await refusal(make({ type: 'Login' }))).message).toContain('spec.type: Unsupported value: "Login"');
  });
});

describe('how long a key lives and how many there are (completions §5)', () => {
  it('ends by ttl from creation, or from the last activity', async () => {
    const { make, stored, clock, plane, system } = await setUp();
    await make({ ttl: 60 });
    await make({ ttl: 60, ttlAfterLastActivity: true }, undefined, 'active');
    const keys = plane.kinds.get('accesskeys.management.platform.sh');
    clock.advance(30_000);
    const status = { status: { lastActivity: new Date(clock.now()).toISOString() } };
    await keys?.status?.patch(system(), 'active', { type: 'merge', document: status, findings: [] }, patching);
    clock.advance(29_000);
    expect(accessKeyPhase(stored(), clock.now())).toBe('Active');
    clock.advance(1_000);
    expect(accessKeyPhase(stored(), clock.now())).toBe('Expired');
    expect(accessKeyPhase(stored('active'), clock.now())).toBe('Active');
    expect(keys?.resource.expiresAt?.({ object: stored() })).toBe(clock.now() + 7 * 24 * 3600 * 1000);
  });

  it('has no negative ttl, and obeys the maximum of the server', async () => {
    const { make } = await setUp({ accessKeys: { maxTTL: 100, perUser: 100 } });
    expect((await refusal(make({ ttl: -1 }))).code).toBe(422);
    expect((await refusal(make({ ttl: 101 }))).message).toContain('spec.ttl');
    expect(await make({})).toMatchObject({ spec: { ttl: 100 } });
  });

  it('keeps the count of keys within the limit; ended ones do not count', async () => {
    const { make, as, clock, admin } = await setUp({ accessKeys: { maxTTL: 0, perUser: 2 } });
    await make({ ttl: 10 });
    await make({}, as('anna'), 'second');
    expect(await refusal(make({}, as('anna'), 'third'))).toMatchObject({
      code: 403,
      message: expect.stringContaining('exceeded quota'),
    });
    await make({}, as('bob'), 'third');
    clock.advance(10_000);
    await make({}, as('anna'), 'fourth');
    expect((await refusal(make({ user: 'anna' }, admin(), 'fifth'))).code).toBe(403);
  });

  it('does not outlive the key that it was made with, whatever becomes of that one', async () => {
    const { make, as, stored, clock, state, verbs } = await setUp();
    await make({ ttl: 100 }, as('anna'), 'maker');
    const context = as('anna', '', 'maker');
    expect(await make({}, context, 'a')).toMatchObject({ spec: { ttl: 100 } });
    expect(await make({ ttl: 1000 }, context, 'b')).toMatchObject({ spec: { ttl: 100 } });
    expect(context.warnings).toHaveLength(1);
    expect(await make({ ttl: 50, ttlAfterLastActivity: true }, context, 'c')).toMatchObject({ spec: { ttl: 50 } });
    expect(keyStateOf(stored('a'), state)).toMatchObject({
      expiresAt: clock.now() + 100_000,
      disabled: false,
      user: { name: 'anna' },
    });
    const merge = (name: string, spec: JsonObject) =>
      verbs('ownedaccesskeys').patch(as('anna'), name, { type: 'merge', document: { spec }, findings: [] }, patching);
    await merge('a', { ttl: 100_000 });
    expect(keyStateOf(stored('a'), state).expiresAt).toBe(clock.now() + 100_000);
    await merge('maker', { disabled: true });
    expect(keyStateOf(stored('a'), state).disabled).toBe(true);
    await verbs('ownedaccesskeys').delete(as('anna'), 'maker', deleting);
    expect(keyStateOf(stored('a'), state).user).toBeUndefined();
    await make({}, as('anna'), 'maker');
    expect(keyStateOf(stored('a'), state).user).toBeUndefined();
  });

  it('outlives a login, and carries the scopes of what it was made with', async () => {
    const { make, plane, system, sent, as, stored, state } = await setUp();
    const scope = { projects: [{ project: 'p' }] };
    await plane.kinds
      .get('accesskeys.management.platform.sh')
      ?.verbs.create(
        system(),
        sent('accesskeys', 'login', { spec: { user: 'anna', type: 'Login', ttl: 10, scope } }),
        writing,
      );
    expect(await make({}, as('anna', '', 'login'))).not.toHaveProperty('spec.ttl');
    expect(keyStateOf(stored(), state).expiresAt).toBeUndefined();
    expect(scopesOf(stored(), state)).toEqual([scope]);
    const narrower = { virtualClusters: [{ project: 'p', virtualCluster: 'v' }] };
    await make({ scope: narrower }, as('anna', '', 'k'), 'narrow');
    expect(scopesOf(stored('narrow'), state)).toEqual([narrower, scope]);
  });

  it('refuses a scope that lists nothing', async () => {
    const { make } = await setUp();
    expect((await refusal(make({ scope: {} }))).code).toBe(422);
    expect(await make({ scope: null })).toBeDefined();
  });
});

it('belongs to no field manager, also when it was applied (completions §5)', async () => {
  const { verbs, admin, plane } = await setUp();
  const key = 'a-key-of-this-test-0123456789-abcdefghijk';
  const object = { metadata: { name: 'applied' }, spec: { key, displayName: 'x' } };
  const made = await verbs('ownedaccesskeys').patch(admin(), 'applied', { type: 'apply', object }, patching);
  expect(textAt(made.object, 'spec', 'key')).toBe(key);
  const stored = plane.kinds.get('accesskeys.management.platform.sh')?.peek('', 'applied');
  expect(stored?.object.metadata.managedFields?.[0]?.fieldsV1).toEqual({ 'f:spec': { 'f:displayName': {} } });
  expect(stored?.json()).not.toContain(key);
});

it('has the hash that authentication looks for', async () => {
  const { make, plane, sealer } = await setUp();
  const made: KubeObject = await make({});
  const keys = plane.kinds.get('accesskeys.management.platform.sh');
  const claim = `hash:${sealer.hash('access-key', textAt(made, 'spec', 'key'))}`;
  expect(keys?.byClaim(claim)?.object.metadata.name).toBe('k');
  expect(openSealer(new Uint8Array(32)).hash('access-key', textAt(made, 'spec', 'key'))).not.toBe(claim.slice(5));
});
