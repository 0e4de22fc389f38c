import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { silentLog } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { openKindStore } from '../../registry/open-kind-store.ts';
import type { StoredResource } from '../../registry/resource.ts';
import { reconcileRange } from '../../registry/rows/rows.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { testDeleteOptions, testKind, testWriteOptions } from '../plane.fixture.ts';
import { systemContext } from '../system-context.ts';
import { type Maintenance, startMaintenance } from './maintenance.ts';
import { tasksInPlanes } from './maintenance-task.ts';
import type { BorrowedPlaneStores } from './plane-stores.ts';

const key = 'jobs.test.example';

interface TestEnv {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly maintenance: Maintenance;
  readonly loaded: string[];
  readonly inUse: () => number;
  plane(id: string): Promise<KindStore>;
  start(): void;
}

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Opens planes on demand. In these planes, a job is pending as long as its spec says so. */
function newTestEnv(
  settle: (plane: string, name: string) => Promise<number | undefined>,
  options: { store?: Store; log?: Log; change?: Partial<StoredResource> } = {},
): TestEnv {
  const clock = new ManualClock();
  const store = options.store ?? openMemoryStore({ clock });
  const planes = new Map<string, Promise<KindStore>>();
  const loaded: string[] = [];
  let used = 0;
  let maintenance: Maintenance | undefined;
  const plane = (id: string): Promise<KindStore> => {
    const known =
      planes.get(id) ??
      openKindStore({
        resource: testKind('jobs', 'Job', {
          needsReconcile: ({ object }) => (object.spec as { wanted?: boolean } | undefined)?.wanted === true,
          reconcile: (_, name) => settle(id, name),
          ...options.change,
        }),
        store,
        slice: id,
        clock,
        log: silentLog,
        planeCallbacks: { namespaceState: () => 'active', resolveOwner: () => undefined },
        onMaintenanceWork: () => maintenance?.wake(),
      });
    planes.set(id, known);
    return known;
  };
  const source = async (id: string): Promise<BorrowedPlaneStores | undefined> => {
    if (id.startsWith('gone')) return undefined;
    loaded.push(id);
    used += 1;
    const kind = await plane(id);
    return {
      id,
      stores: () => [kind],
      release() {
        used -= 1;
      },
    };
  };
  const start = (): Maintenance => {
    maintenance = startMaintenance({
      store,
      clock,
      log: options.log ?? silentLog,
      runTask: tasksInPlanes(store, source),
    });
    cleanups.push(() => maintenance?.stop() ?? Promise.resolve());
    return maintenance;
  };
  const env: TestEnv = {
    store,
    clock,
    loaded,
    inUse: () => used,
    get maintenance() {
      return maintenance ?? start();
    },
    plane,
    start: () => void start(),
  };
  return env;
}

async function make(kind: KindStore, name: string, wanted = true): Promise<void> {
  const object = { apiVersion: 'test.example/v1', kind: 'Job', metadata: { name }, spec: { wanted } };
  await kind.verbs.create(systemContext('default'), object, testWriteOptions);
}

async function write(kind: KindStore, name: string, spec: { wanted?: boolean; note?: string }): Promise<void> {
  await kind.verbs.patch(
    systemContext('default'),
    name,
    { type: 'merge', document: { spec }, findings: [] },
    { ...testWriteOptions, force: false },
  );
}

async function rows(store: Store): Promise<string[]> {
  return (await store.list(reconcileRange)).entries.map(({ key: { segments } }) => segments.slice(1).join(' '));
}

describe('a pending reconcile', () => {
  it('has a row while its object needs it, written and removed with the object', async () => {
    const { plane, store } = newTestEnv(async () => undefined);
    const kind = await plane('a');
    await make(kind, 'one');
    await make(kind, 'other', false);
    expect(await rows(store)).toEqual([`a ${key} default one`]);
    await write(kind, 'other', { wanted: true });
    await write(kind, 'one', { wanted: false });
    expect(await rows(store)).toEqual([`a ${key} default other`]);
    await kind.verbs.delete(systemContext('default'), 'other', testDeleteOptions());
    expect(await rows(store)).toEqual([]);
  });

  it('runs, also if an earlier process has left it, and its row is removed', async () => {
    const settled: string[] = [];
    const env = newTestEnv(async (plane, name) => void settled.push(`${plane}/${name}`));
    await make(await env.plane('a'), 'left');
    await make(await env.plane('b'), 'left');
    await make(await env.plane('gone'), 'left');
    env.start();
    env.maintenance.wake();
    await env.maintenance.idle();
    expect(settled.sort()).toEqual(['a/left', 'b/left']);
    expect(await rows(env.store)).toEqual([]);
    await make(await env.plane('a'), 'now');
    await env.maintenance.idle();
    expect(settled).toContain('a/now');
    expect(env.inUse()).toBe(0);
  });

  it('does not load planes without pending reconciles', async () => {
    const env = newTestEnv(async () => undefined);
    await make(await env.plane('idle'), 'quiet', false);
    await make(await env.plane('busy'), 'loud');
    env.maintenance.wake();
    await env.maintenance.idle();
    expect(env.loaded).toEqual(['busy']);
  });

  it('runs again after the time that it requests, and sooner if the object is written', async () => {
    let looks = 0;
    const env = newTestEnv(async () => {
      looks += 1;
      return looks < 4 ? 5_000 : undefined;
    });
    const kind = await env.plane('a');
    env.maintenance.wake();
    await make(kind, 'slow');
    await env.maintenance.idle();
    expect(looks).toBe(1);
    env.clock.advance(4_999);
    await env.maintenance.idle();
    expect(looks).toBe(1);
    env.clock.advance(1);
    await env.maintenance.idle();
    expect(looks).toBe(2);
    await write(kind, 'slow', { note: 'changed' });
    await env.maintenance.idle();
    expect(looks).toBe(3);
    env.clock.advance(5_000);
    await env.maintenance.idle();
    expect(looks).toBe(4);
    expect(await rows(env.store)).toEqual([]);
  });

  it('is retried with increasing backoff if it fails', async () => {
    let fails = true;
    const times: number[] = [];
    const warned: string[] = [];
    const log: Log = { ...silentLog, warn: (members) => void warned.push(String(members.error)) };
    const env = newTestEnv(
      async () => {
        times.push(env.clock.elapsed());
        if (fails) throw new Error('not today');
        return undefined;
      },
      { log },
    );
    const kind = await env.plane('a');
    env.maintenance.wake();
    await make(kind, 'hard');
    await env.maintenance.idle();
    for (let step = 0; step < 400; step++) {
      env.clock.advance(10);
      await env.maintenance.idle();
    }
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.length).toBeGreaterThan(4);
    expect(pauses.length).toBeLessThan(12);
    expect(pauses.at(-1)).toBeGreaterThan((pauses[0] ?? 0) * 4);
    expect(new Set(warned)).toEqual(new Set(['Error: not today']));
    expect(env.inUse()).toBe(0);
    fails = false;
    env.clock.advance(60_000);
    await env.maintenance.idle();
    expect(await rows(env.store)).toEqual([]);
  });

  it('runs again if the object was written during the reconcile', async () => {
    const seen: unknown[] = [];
    const env = newTestEnv(async (plane, name) => {
      const kind = await env.plane(plane);
      seen.push(kind.peek('default', name)?.object.spec);
      if (seen.length === 1) await write(kind, name, { note: 'meanwhile' });
      return undefined;
    });
    env.maintenance.wake();
    await make(await env.plane('a'), 'busy');
    await env.maintenance.idle();
    expect(seen).toEqual([{ wanted: true }, { wanted: true, note: 'meanwhile' }]);
    expect(await rows(env.store)).toEqual([]);
  });

  it('does not wait for a slow one, and runs once at a time per object', async () => {
    const done: string[] = [];
    let underWay = 0;
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const env = newTestEnv(async (_plane, name) => {
      underWay += 1;
      expect(underWay).toBeLessThanOrEqual(16);
      if (name === 'slow') await gate;
      underWay -= 1;
      done.push(name);
      return undefined;
    });
    const kind = await env.plane('a');
    env.maintenance.wake();
    await make(kind, 'slow');
    for (let index = 0; index < 40; index++) await make(kind, `quick-${index}`);
    await write(kind, 'slow', { note: 'again' });
    while (done.length < 40) await new Promise((resolve) => setImmediate(resolve));
    expect(done).not.toContain('slow');
    release();
    await env.maintenance.idle();
    expect(done.filter((name) => name === 'slow')).toHaveLength(2);
    expect(await rows(env.store)).toEqual([]);
  });

  it('is requeued by a write of an object that requeues it', async () => {
    const settled: string[] = [];
    const env = newTestEnv(async (_plane, name) => void settled.push(name), {
      change: {
        requeues: (old, next) =>
          (next ?? old)?.object.metadata.name === 'cause'
            ? [{ resource: key, namespace: 'default', name: 'effect' }]
            : [],
      },
    });
    const kind = await env.plane('a');
    env.maintenance.wake();
    await make(kind, 'effect');
    await env.maintenance.idle();
    await make(kind, 'cause', false);
    await env.maintenance.idle();
    await kind.verbs.delete(systemContext('default'), 'cause', testDeleteOptions());
    await env.maintenance.idle();
    expect(settled).toEqual(['effect', 'effect', 'effect']);
  });
});
