import { type JsonObject, textAt, valueAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { isWellFormedAccessKey } from '../../auth/access-key-format.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { openAccessKeyTestEnv, otherKeyValue, ownKeyValue } from '../access-keys/access-keys.fixture.ts';
import {
  dryRun,
  latestVersion,
  listOptions,
  type ManagementTestEnv,
  patchOptions,
  rejectionStatus,
  watchOptions,
  writeOptions,
} from '../management.fixture.ts';

async function dumped(management: ManagementTestEnv): Promise<string> {
  const rows: string[] = [];
  for await (const row of management.store.dump()) rows.push(JSON.stringify(row));
  return rows.join('\n');
}

describe('the value of an access key (completions §5)', () => {
  it('the server generates the value and returns it once, in the create response', async () => {
    const { make, verbs, as, stored, ...rest } = await openAccessKeyTestEnv();
    const made = await make({ displayName: 'mine' });
    const key = textAt(made, 'spec', 'key');
    expect(key).toMatch(/^flk_/);
    expect(isWellFormedAccessKey(key)).toBe(true);
    expect(made.kind).toBe('OwnedAccessKey');
    expect(made).toMatchObject({ spec: { user: 'anna', type: 'User', displayName: 'mine' } });

    const { get, list, update } = verbs('ownedaccesskeys');
    const read = await get(as('anna'), 'k', latestVersion);
    expect(valueAt(read.object, 'spec', 'key')).toBeUndefined();
    const listed = await list(as('anna'), listOptions);
    expect(listed.items.map((item) => item.json()).join()).not.toContain('flk_');
    expect(JSON.stringify(stored())).not.toContain('flk_');
    const put = await update(as('anna'), 'k', read.object, writeOptions);
    expect(put.object).toEqual(read.object);
    expect(await dumped({ make, verbs, as, stored, ...rest } as unknown as ManagementTestEnv)).not.toContain(key);
  });

  it('a dry run does not return the value', async () => {
    const { verbs, as, sent } = await openAccessKeyTestEnv();
    const made = await verbs('ownedaccesskeys').create(as('anna'), sent('ownedaccesskeys', 'k', { spec: {} }), dryRun);
    expect(made.json()).not.toContain('flk_');
  });

  it('an apply returns the value only if it creates the key', async () => {
    const { verbs, as } = await openAccessKeyTestEnv();
    const apply = (spec: JsonObject) =>
      verbs('ownedaccesskeys').patch(
        as('anna'),
        'k',
        {
          type: 'apply',
          object: { apiVersion: 'management.platform.sh/v1', kind: 'OwnedAccessKey', metadata: { name: 'k' }, spec },
        },
        patchOptions,
      );
    const first = await apply({ key: ownKeyValue, displayName: 'a' });
    expect(first.created).toBe(true);
    expect(textAt(first.object, 'spec', 'key')).toBe(ownKeyValue);
    const again = await apply({ key: ownKeyValue, displayName: 'a' });
    expect(again.json()).not.toContain(ownKeyValue);
    expect(again.object.metadata.resourceVersion).toBe(first.object.metadata.resourceVersion);
    const changed = await apply({ key: otherKeyValue, displayName: 'b' });
    expect(changed.json()).not.toContain(otherKeyValue);
    expect(changed.object).toMatchObject({ kind: 'OwnedAccessKey', spec: { displayName: 'b' } });
  });

  it('a write without a value or with the same value keeps it; a new value replaces it', async () => {
    const management = await openAccessKeyTestEnv();
    const { make, verbs, as, state } = management;
    const made = await make({ key: ownKeyValue });
    const hash = () => textAt(state.accessKeyHidden('k'), 'keyHash');
    const first = hash();
    const merge = (document: JsonObject) =>
      verbs('ownedaccesskeys').patch(as('anna'), 'k', { type: 'merge', document, findings: [] }, patchOptions);
    const unchanged = await merge({ spec: { key: ownKeyValue } });
    expect(unchanged.object.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    await merge({ spec: { displayName: 'x' } });
    expect(hash()).toBe(first);
    const replaced = await merge({ spec: { key: otherKeyValue } });
    expect(hash()).not.toBe(first);
    expect(replaced.json()).not.toContain(otherKeyValue);
    expect(await dumped(management)).not.toContain(otherKeyValue);
  });

  it('a weak, mistyped or used value is rejected with the same message', async () => {
    const { make, as } = await openAccessKeyTestEnv();
    await make({ key: ownKeyValue });
    const texts = new Set<string>();
    for (const key of ['short', `flk_${'x1y2z3a4b5'.repeat(4)}000000`, 'a'.repeat(40), `${ownKeyValue} `]) {
      texts.add((await rejectionStatus(make({ key }, as('bob'), 'other'))).message ?? '');
    }
    const taken = await rejectionStatus(make({ key: ownKeyValue }, as('bob'), 'other'));
    texts.add(taken.message ?? '');
    expect(taken).toMatchObject({ code: 422, reason: 'Invalid', details: { kind: 'OwnedAccessKey' } });
    expect([...texts]).toHaveLength(1);
    expect([...texts][0]).not.toContain(ownKeyValue);
    expect([...texts][0]).toContain('OwnedAccessKey.management.platform.sh "other" is invalid: spec.key:');
  });

  it('the value is removed from the last-applied annotation', async () => {
    const { verbs, as, sent } = await openAccessKeyTestEnv();
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const annotations = {
      [annotation]: JSON.stringify({ kind: 'OwnedAccessKey', spec: { key: ownKeyValue, displayName: 'a' } }),
    };
    const body = sent('ownedaccesskeys', 'k', { spec: { key: ownKeyValue, displayName: 'a' } }, { annotations });
    const made = await verbs('ownedaccesskeys').create(as('anna'), body, writeOptions);
    expect(made.object.metadata.annotations?.[annotation]).toBe(
      '{"kind":"OwnedAccessKey","spec":{"displayName":"a"}}\n',
    );
  });

  it('a JSON patch test cannot detect the value, and a watch never shows it', async () => {
    const { make, verbs, as } = await openAccessKeyTestEnv();
    const stream = await verbs('ownedaccesskeys').watch(as('anna'), watchOptions);
    await make({ key: ownKeyValue });
    const operations = [{ op: 'test', path: '/spec/key', value: ownKeyValue }];
    const patch = { type: 'json' as const, operations, findings: [] };
    expect((await rejectionStatus(verbs('ownedaccesskeys').patch(as('anna'), 'k', patch, patchOptions))).code).toBe(
      422,
    );
    for await (const event of stream) {
      if (event.type !== 'ADDED') continue;
      expect(event.object.json()).not.toContain(ownKeyValue);
      expect(event.object.object.kind).toBe('OwnedAccessKey');
      break;
    }
  });

  it('the name of a key is optional', async () => {
    const { make, as } = await openAccessKeyTestEnv();
    const made = await make({}, as('anna'), '');
    expect(made.metadata.name).toMatch(/^key-[a-z0-9]{5}$/);
  });
});

describe('server-managed fields (completions §5)', () => {
  const login = {
    identity: { userId: 'u', connectorData: 'secret-data' },
    oidcLogin: { idToken: 'secret-id', accessToken: 'secret-access', refreshToken: 'secret-refresh' },
    parent: 'p',
  };

  it('values from clients are ignored with a Warning', async () => {
    const { make, as } = await openAccessKeyTestEnv();
    const context = as('anna');
    const made = await make(login, context);
    for (const field of Object.keys(login)) expect(valueAt(made, 'spec', field)).toBeUndefined();
    expect(context.warnings).toHaveLength(3);
  });

  it('values from the server are stored, and their secrets are neither returned nor stored in clear text', async () => {
    const management = await openAccessKeyTestEnv();
    const { system, sent, plane, verbs, as, state } = management;
    const keys = plane.kinds.get('accesskeys.management.platform.sh');
    const made = await keys?.verbs.create(
      system(),
      sent('accesskeys', 'k', { spec: { ...login, user: 'anna', type: 'Login' } }),
      writeOptions,
    );
    expect(made?.object).toMatchObject({ spec: { identity: { userId: 'u' }, parent: 'p', type: 'Login' } });
    expect(made?.json()).not.toContain('secret-');
    expect(await dumped(management)).not.toContain('secret-');
    expect(Object.keys(state.accessKeyHidden('k') ?? {}).sort()).toEqual([
      'connectorData',
      'keyHash',
      'oidcTokens',
      'ownerUid',
    ]);
    const context = as('anna');
    const read = await verbs('ownedaccesskeys').get(context, 'k', latestVersion);
    const put = await verbs('ownedaccesskeys').update(context, 'k', read.object, writeOptions);
    expect(put.object).toEqual(read.object);
    expect(context.warnings).toEqual([]);
  });

  it('only the server may use types other than User and Other', async () => {
    const { make } = await openAccessKeyTestEnv();
    expect(await make({ type: 'Other' })).toMatchObject({ spec: { type: 'Other' } });
    expect((await rejectionStatus(make({ type: 'Login' }))).message).toContain('spec.type: Unsupported value: "Login"');
  });
});

it('the value of an access key belongs to no field manager, even if it was applied (completions §5)', async () => {
  const { verbs, admin, plane } = await openAccessKeyTestEnv();
  const key = 'a-key-of-this-test-0123456789-abcdefghijk';
  const object = { metadata: { name: 'applied' }, spec: { key, displayName: 'x' } };
  const made = await verbs('ownedaccesskeys').patch(admin(), 'applied', { type: 'apply', object }, patchOptions);
  expect(textAt(made.object, 'spec', 'key')).toBe(key);
  const stored = plane.kinds.get('accesskeys.management.platform.sh')?.peek('', 'applied');
  expect(stored?.object.metadata.managedFields?.[0]?.fieldsV1).toEqual({ 'f:spec': { 'f:displayName': {} } });
  expect(stored?.json()).not.toContain(key);
});

it('the stored hash is the one that authentication looks up', async () => {
  const { make, plane, sealer } = await openAccessKeyTestEnv();
  const made: KubeObject = await make({});
  const keys = plane.kinds.get('accesskeys.management.platform.sh');
  const claim = `hash:${sealer.hash('access-key', textAt(made, 'spec', 'key'))}`;
  expect(keys?.byClaim(claim)?.object.metadata.name).toBe('k');
  expect(openSealer(new Uint8Array(32)).hash('access-key', textAt(made, 'spec', 'key'))).not.toBe(claim.slice(5));
});

it('an access key with a spec of megabytes is rejected', async () => {
  const { make } = await openAccessKeyTestEnv();
  const refused = await rejectionStatus(make({ subject: 'x'.repeat(300_000) }));
  expect([refused.code, refused.message]).toEqual([422, expect.stringContaining('may have at most 262144 characters')]);
});
