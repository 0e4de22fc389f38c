import { type JsonValue, textAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { reconcileRange } from '../../../registry/rows/rows.ts';
import { twoReplicas } from '../../../store/replicas.fixture.ts';
import type { Store } from '../../../store/store.ts';
import { kubernetesKindsPart } from '../../kubernetes/kubernetes-kinds-part.ts';
import type { PartDependencies } from '../../plane-part.ts';
import { type CoreTestEnv, openCoreTestEnv, testTokenKeys } from '../core.fixture.ts';

/** Opens a plane in two processes. Neither process runs maintenance, as if a third process maintained the plane. */
async function openCopies() {
  const [clock, keys] = [new ManualClock(), testTokenKeys()];
  return await twoReplicas((store) => openCoreTestEnv({ store, clock, keys, withoutMaintenance: true }));
}

async function reactions(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const used = (env: CoreTestEnv) =>
  textAt(env.peek('resourcequotas', 'q') as JsonValue | undefined, 'status', 'used', 'configmaps');

/** Returns the quotas whose update is recorded as maintenance work. */
async function requested(store: Store): Promise<(string | undefined)[]> {
  const { entries } = await store.list(reconcileRange);
  return entries.filter(({ key }) => key.segments[2] === 'resourcequotas').map(({ key }) => key.segments[4]);
}

describe('the status of a quota in a plane that several processes have loaded', () => {
  it('is written only by the process that maintains the plane', async () => {
    const { current, delayed, shared } = await openCopies();
    await current.create('resourcequotas', { metadata: { name: 'q' }, spec: { hard: { configmaps: '5' } } });
    await delayed.create('configmaps', { metadata: { name: 'a' } });
    await reactions();
    expect([used(current), used(delayed)]).toEqual(['', '']);
    expect(await requested(shared)).toEqual(['q']);
    const { clock, keys } = current;
    const owner = await openCoreTestEnv({ store: current.store, clock, keys });
    await owner.runMaintenance();
    expect([used(current), used(delayed)]).toEqual(['1', '1']);
    expect(await requested(shared)).toEqual([]);

    await current.remove('configmaps', 'a');
    await reactions();
    expect(used(delayed)).toBe('1');
    expect(await requested(shared)).toEqual(['q']);
    await owner.runMaintenance();
    expect(used(delayed)).toBe('0');
    for (const env of [owner, current, delayed]) await env.close();
  });

  it('causes no work if an object changes that no quota counts', async () => {
    const { current, delayed, shared } = await openCopies();
    await current.create('namespaces', { metadata: { name: 'other' } }, '');
    await current.create('resourcequotas', { metadata: { name: 'q' }, spec: { hard: { configmaps: '5' } } });
    await shared.removePrefix(reconcileRange);
    await delayed.create('secrets', { metadata: { name: 'a' } });
    await delayed.create('configmaps', { metadata: { name: 'a' } }, 'other');
    expect(await requested(shared)).toEqual([]);
    for (const env of [current, delayed]) await env.close();
  });

  it('is requested by a process that finds it wrong when it loads the plane', async () => {
    const { current, delayed, shared } = await openCopies();
    await current.create('resourcequotas', { metadata: { name: 'q' }, spec: { hard: { configmaps: '5' } } });
    await shared.removePrefix(reconcileRange);
    const { clock, keys, store } = delayed;
    const loaded = await openCoreTestEnv({ store, clock, keys, withoutMaintenance: true });
    expect(used(loaded)).toBe('');
    expect(await requested(shared)).toEqual(['q']);
    for (const env of [loaded, current, delayed]) await env.close();
  });
});

describe('the amounts of a quota in a plane that several processes have loaded', () => {
  async function openFullCopies() {
    const [clock, keys] = [new ManualClock(), testTokenKeys()];
    const moreParts = (dependencies: PartDependencies) => [kubernetesKindsPart(dependencies)];
    return await twoReplicas((store) => openCoreTestEnv({ store, clock, keys, moreParts, withoutMaintenance: true }));
  }

  it('are limited across processes, and updated when an object is changed', async () => {
    const { current, delayed, shared } = await openFullCopies();
    const hard = { 'services.nodeports': '1' };
    await current.create('resourcequotas', { metadata: { name: 'q' }, spec: { hard } });
    const spec = { type: 'ClusterIP', ports: [{ port: 80 }] };
    await current.create('services', { metadata: { name: 'a' }, spec });
    await delayed.create('services', { metadata: { name: 'b' }, spec });
    await shared.removePrefix(reconcileRange);
    const toNodePort = (env: CoreTestEnv, name: string) =>
      env.update('services', {
        metadata: { name },
        spec: { ...(env.peek('services', name)?.spec as object), type: 'NodePort' },
      });
    const results = await Promise.allSettled([toNodePort(current, 'a'), toNodePort(delayed, 'b')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await requested(shared)).toEqual(['q']);
    for (const env of [current, delayed]) await env.close();
  });

  it('are limited across processes when pods enter the scope of the quota', async () => {
    const { current, delayed, shared } = await openFullCopies();
    const spec = { containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu: '1' } } }] };
    await current.create('resourcequotas', {
      metadata: { name: 'q' },
      spec: { hard: { cpu: '1500m' }, scopes: ['Terminating'] },
    });
    await shared.removePrefix(reconcileRange);
    await current.create('pods', { metadata: { name: 'a' }, spec });
    const results = await Promise.allSettled([
      current.update('pods', {
        metadata: { name: 'a' },
        spec: { ...(current.peek('pods', 'a')?.spec as object), activeDeadlineSeconds: 5 },
      }),
      delayed.create('pods', { metadata: { name: 'b' }, spec: { ...spec, activeDeadlineSeconds: 5 } }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await requested(shared)).toEqual(['q']);
    for (const env of [current, delayed]) await env.close();
  });
});
