import { type JsonObject, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addableTestKind, testKind } from '../../plane.fixture.ts';
import {
  type CoreTestEnv,
  dryRunWriteOptions,
  eventually,
  expectStatusError,
  openCoreTestEnv,
  testWriteOptions,
} from '../core.fixture.ts';

let plane: CoreTestEnv;
beforeEach(async () => {
  plane = await openCoreTestEnv();
});
afterEach(() => plane.close());

const quota = (hard: JsonObject, name = 'q', spec: JsonObject = {}) => ({
  metadata: { name },
  spec: { hard, ...spec },
});
const map = (name: string) => ({ metadata: { name } });
const status = (name = 'q') => plane.peek('resourcequotas', name)?.status as JsonObject | undefined;
const used = (resource: string) => textAt(status(), 'used', resource);

/**
 * Waits until the quota shows the amount. Needed only in a shared store, where the status is written after the create
 * instead of before it.
 */
async function untilUsed(resource: string, amount: string): Promise<void> {
  if (plane.store.isShared) await eventually(() => used(resource) === amount);
}

describe('quotas', () => {
  it('report the usage, and refuse creates beyond the limit', async () => {
    await plane.create('configmaps', map('a'));
    await plane.create('resourcequotas', quota({ configmaps: 2, 'count/configmaps': '3', pods: '5', cpu: '2' }));
    await eventually(() => status()?.used);
    expect(status()).toEqual({
      hard: { configmaps: '2', 'count/configmaps': '3', cpu: '2', pods: '5' },
      used: { configmaps: '1', 'count/configmaps': '1', cpu: '0', pods: '0' },
    });
    await plane.create('configmaps', map('b'));
    await untilUsed('configmaps', '2');
    expect(status()).toMatchObject({ used: { configmaps: '2', 'count/configmaps': '2' } });
    const error = await expectStatusError(plane.create('configmaps', map('c')));
    expect(error.status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      details: { name: 'c', kind: 'configmaps' },
      message:
        'configmaps "c" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
    });
    await plane.remove('configmaps', 'a');
    await eventually(() => used('configmaps') === '1');
    await plane.create('configmaps', map('c'));
  });

  it('list all exceeded resources in order', async () => {
    await plane.create('resourcequotas', quota({ secrets: '0', 'count/secrets': '0' }));
    const error = await expectStatusError(plane.create('secrets', map('s')));
    expect(error.status.message).toContain(
      'requested: count/secrets=1,secrets=1, used: count/secrets=0,secrets=0, limited: count/secrets=0,secrets=0',
    );
  });

  it('hold for concurrent creates', async () => {
    await plane.create('resourcequotas', quota({ configmaps: '10' }));
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => plane.create('configmaps', map(`m${index}`))),
    );
    expect(results.filter(({ status: outcome }) => outcome === 'fulfilled')).toHaveLength(10);
    expect(plane.plane.kinds.get('configmaps')?.count('default')).toBe(10);
    await eventually(() => used('configmaps') === '10');
  });

  it('release the reservation of a failed create', async () => {
    await plane.create('configmaps', map('a'));
    await plane.create('resourcequotas', quota({ configmaps: '2' }));
    expect((await expectStatusError(plane.create('configmaps', map('a')))).code).toBe(409);
    await eventually(() => used('configmaps') === '1');
    await plane.create('configmaps', map('b'));
  });

  it('refuse a dry run beyond the limit, and do not count an allowed one', async () => {
    await plane.create('resourcequotas', quota({ configmaps: '1' }));
    const { verbs } = plane.plane.kinds.get('configmaps') ?? {};
    const tried = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'try' } };
    await verbs?.create(plane.context(), tried, dryRunWriteOptions);
    await verbs?.create(plane.context(), tried, testWriteOptions);
    const refused = verbs?.create(plane.context(), { ...tried, metadata: { name: 'more' } }, dryRunWriteOptions);
    expect((await expectStatusError(refused ?? Promise.resolve())).code).toBe(403);
  });

  it('count custom resources, also if their kind is added later', async () => {
    const name = 'count/widgets.test.example';
    await plane.create('resourcequotas', quota({ [name]: '1', configmaps: '5' }));
    await eventually(() => status()?.used);
    expect(status()?.used).toEqual({ configmaps: '0' });
    await plane.plane.add([addableTestKind(testKind('widgets', 'Widget'))]);
    await plane.create('widgets.test.example', map('w'));
    await untilUsed(name, '1');
    expect(status()?.used).toEqual({ configmaps: '0', [name]: '1' });
    const error = await expectStatusError(plane.create('widgets.test.example', map('x')));
    expect(error.status.message).toBe(
      `widgets.test.example "x" is forbidden: exceeded quota: q, requested: ${name}=1, used: ${name}=1, limited: ${name}=1`,
    );
  });

  it('count the objects of an added kind at once, and keep the count when the kind is removed', async () => {
    const name = 'count/widgets.test.example';
    const widgets = addableTestKind(testKind('widgets', 'Widget'));
    await plane.plane.add([widgets]);
    await plane.create('widgets.test.example', map('w'));
    await plane.plane.remove(['widgets.test.example']);
    await plane.create('resourcequotas', quota({ [name]: '5' }));
    await eventually(() => status()?.hard);
    expect(status()).not.toHaveProperty('used');
    await plane.plane.add([widgets]);
    await eventually(() => used(name) === '1');
    await plane.remove('widgets.test.example', 'w');
    await eventually(() => used(name) === '0');
    await plane.plane.remove(['widgets.test.example']);
    const { store, clock, keys } = plane;
    await plane.close();
    plane = await openCoreTestEnv({ store, clock, keys });
    expect(used(name)).toBe('0');
  });

  it('count only in their own namespace, and nothing if their scopes are about pods', async () => {
    await plane.create('namespaces', { metadata: { name: 'other' } }, '');
    await plane.create('resourcequotas', quota({ configmaps: '0' }), 'other');
    await plane.create(
      'resourcequotas',
      quota({ pods: '1', 'count/configmaps': '0' }, 'scoped', { scopes: ['BestEffort'] }),
    );
    await plane.create('configmaps', map('a'));
    await eventually(() => status('scoped')?.used);
    expect(status('scoped')?.used).toEqual({ 'count/configmaps': '0', pods: '0' });
    expect((await expectStatusError(plane.create('configmaps', map('a'), 'other'))).code).toBe(403);
  });

  it('are enforced with their new limits immediately after a change', async () => {
    await plane.create('resourcequotas', quota({ configmaps: '0' }));
    expect((await expectStatusError(plane.create('configmaps', map('a')))).code).toBe(403);
    await plane.update('resourcequotas', quota({ configmaps: '1' }));
    await plane.create('configmaps', map('a'));
    await untilUsed('configmaps', '1');
    expect(status()).toEqual({ hard: { configmaps: '1' }, used: { configmaps: '1' } });
    await plane.remove('resourcequotas', 'q');
    await plane.create('configmaps', map('b'));
  });

  it('revert changes that clients make to their status', async () => {
    await plane.create('resourcequotas', quota({ configmaps: '3' }));
    await eventually(() => status()?.used);
    const store = plane.plane.kinds.get('resourcequotas');
    const old = plane.peek('resourcequotas', 'q');
    if (old === undefined) throw new Error('no quota');
    const sent = { ...old, status: { hard: { configmaps: '9' }, used: { configmaps: '7' } } };
    await store?.status?.update(plane.context(), 'q', sent, testWriteOptions);
    await eventually(() => used('configmaps') === '0');
    const { resourceVersion: _, ...metadata } = old.metadata;
    const misnamed = { ...old, metadata, status: { hard: { nope: '3' } } };
    const wrong = store?.status?.update(plane.context(), 'q', misnamed, testWriteOptions);
    expect((await expectStatusError(wrong ?? Promise.resolve())).status.message).toBe(
      'ResourceQuota "q" is invalid: [status.hard[nope]: Invalid value: "nope": must be a standard resource type or fully qualified, status.hard[nope]: Invalid value: "nope": must be a standard resource for quota]',
    );
  });

  it('are corrected when the plane is loaded', async () => {
    const { store, clock, keys } = plane;
    await plane.create('resourcequotas', quota({ configmaps: '3' }));
    await plane.create('configmaps', map('a'));
    await plane.close();
    const key = { slice: 'plane', segments: ['objects', 'configmaps', 'default', 'a'] };
    await store.transact({ writes: [{ key, value: undefined }] });
    plane = await openCoreTestEnv({ store, clock, keys });
    if (store.isShared) await plane.runMaintenance();
    expect(status()?.used).toEqual({ configmaps: '0' });
  });

  it('do not limit writes of the server itself', async () => {
    await plane.create('namespaces', { metadata: { name: 'other' } }, '');
    await eventually(() => plane.peek('serviceaccounts', 'default', 'other'));
    await plane.create('resourcequotas', quota({ 'count/serviceaccounts': '0' }), 'other');
    await plane.remove('serviceaccounts', 'default', 'other');
    await eventually(() => plane.peek('serviceaccounts', 'default', 'other'));
  });
});

describe('the quotas of a namespace', () => {
  const counts = (first: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`count/r${first + at}.example.com`, '1']));

  it('can be at most 100', async () => {
    for (let number = 0; number < 100; number++)
      await plane.create('resourcequotas', quota({ pods: '1' }, `q${number}`));
    const error = await expectStatusError(plane.create('resourcequotas', quota({ pods: '1' }, 'another')));
    expect(error.status).toMatchObject({
      code: 403,
      message:
        'resourcequotas "another" is forbidden: a namespace can have at most 100 resource quotas; limit more resources in one of them',
    });
    await plane.update('resourcequotas', quota({ pods: '2' }, 'q0'));
    await plane.remove('resourcequotas', 'q1');
    await plane.create('resourcequotas', quota({ pods: '1' }, 'another'));
  });

  it('can limit at most 1,000 resources together', async () => {
    await plane.create('resourcequotas', quota(counts(0, 900), 'large'));
    await plane.create('resourcequotas', quota(counts(0, 100), 'small'));
    for (const write of [
      plane.create('resourcequotas', quota({ pods: '1' }, 'another')),
      plane.update('resourcequotas', quota(counts(0, 101), 'small')),
    ]) {
      const error = await expectStatusError(write);
      expect(error.code).toBe(403);
      expect(error.status.message).toContain('can limit at most 1000 resources together, but would limit 1001');
    }
    await plane.update('resourcequotas', quota(counts(500, 100), 'small'));
    await plane.create('resourcequotas', quota({ pods: '1' }, 'elsewhere'), 'kube-public');
  });
});

describe('the spec of a quota', () => {
  it('is normalized', async () => {
    const made = await plane.create('resourcequotas', quota({ pods: 10, cpu: '0.5', memory: '1.5Gi', secrets: '1e3' }));
    expect(made.spec).toEqual({ hard: { cpu: '500m', memory: '1536Mi', pods: '10', secrets: '1e3' } });
    expect(made.status).toEqual({});
  });

  it.each([['1x'], [true], ['']])('refuses the amount %j', async (amount) => {
    const error = await expectStatusError(plane.create('resourcequotas', quota({ pods: amount })));
    expect(error.code).toBe(400);
    expect(error.status.message).toBe(
      'ResourceQuota in version "v1" cannot be handled as a ResourceQuota: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
    );
  });

  it('accepts only valid resources and amounts', async () => {
    const error = await expectStatusError(
      plane.create('resourcequotas', quota({ pods: '-1', configmaps: '1500m', nonsense: '1', 'count/x': '1.5' })),
    );
    expect(error.status.details?.causes?.map(({ field, message }) => `${field} ${message}`)).toEqual([
      'spec.hard[configmaps] Invalid value: "1500m": must be an integer',
      'spec.hard[count/x] Invalid value: "1500m": must be an integer',
      'spec.hard[nonsense] Invalid value: "nonsense": must be a standard resource type or fully qualified',
      'spec.hard[nonsense] Invalid value: "nonsense": must be a standard resource for quota',
      'spec.hard[pods] Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });

  it('accepts only scopes that fit its resources, and keeps its scopes', async () => {
    const scoped = (spec: JsonObject) =>
      plane.create('resourcequotas', quota({ pods: '1', configmaps: '3' }, 'q', spec));
    const texts = async (spec: JsonObject) =>
      (await expectStatusError(scoped(spec))).status.details?.causes?.map(
        ({ field, message }) => `${field} ${message}`,
      );
    const shown = 'Invalid value: ["Foo","BestEffort","NotBestEffort"]:';
    expect(await texts({ scopes: ['Foo', 'BestEffort', 'NotBestEffort'] })).toEqual([
      `spec.scopes ${shown} unsupported scope`,
      `spec.scopes ${shown} unsupported scope applied to resource`,
      `spec.scopes ${shown} unsupported scope applied to resource`,
      `spec.scopes ${shown} conflicting scopes`,
    ]);
    const field = 'spec.scopeSelector.matchExpressions';
    expect(await texts({ scopeSelector: { matchExpressions: [{ scopeName: 'Bar', operator: 'In' }] } })).toEqual([
      `${field}.scopeName Invalid value: "Bar": unsupported scope`,
      `${field}.values Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
    ]);
    await plane.create('resourcequotas', quota({ pods: '1' }, 'kept', { scopes: ['BestEffort'] }));
    const error = await expectStatusError(
      plane.update('resourcequotas', quota({ pods: '1' }, 'kept', { scopes: ['Terminating'] })),
    );
    expect(error.status.message).toBe(
      'ResourceQuota "kept" is invalid: spec.scopes: Invalid value: ["Terminating"]: field is immutable',
    );
  });

  it('causes a warning if a request is above its limit', async () => {
    await plane.create(
      'resourcequotas',
      quota({ 'requests.cpu': '3', 'limits.cpu': '2', memory: '2Gi', 'limits.memory': '1Gi' }),
    );
    expect(plane.warnings).toEqual([
      'ResourceQuota requests.cpu (3) should be less than limits.cpu (2)',
      'ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)',
    ]);
  });
});
