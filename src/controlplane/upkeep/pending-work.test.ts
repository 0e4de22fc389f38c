import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { silentLog } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { openKindStore } from '../../registry/open-kind-store.ts';
import type { StoredResource } from '../../registry/resource.ts';
import { pendingRange } from '../../registry/rows.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { deleting, plainKind, writing } from '../plane.fixture.ts';
import { systemContext } from '../system-context.ts';
import type { PlaneInUse } from './plane-objects.ts';
import { startUpkeep, type Upkeep } from './upkeep.ts';

const key = 'jobs.test.example';

interface World {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly upkeep: Upkeep;
  readonly loaded: string[];
  readonly inUse: () => number;
  plane(id: string): Promise<KindStore>;
  start(): void;
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Planes that are opened when somebody asks for them; jobs are pending as long as their spec says so. */
function newWorld(
  settle: (plane: string, name: string) => Promise<number | undefined>,
  options: { store?: Store; log?: Log; change?: Partial<StoredResource> } = {},
): World {
  const clock = new ManualClock();
  const store = options.store ?? openMemoryStore({ clock });
  const planes = new Map<string, Promise<KindStore>>();
  const loaded: string[] = [];
  let used = 0;
  let upkeep: Upkeep | undefined;
  const plane = (id: string): Promise<KindStore> => {
    const known =
      planes.get(id) ??
      openKindStore({
        resource: plainKind('jobs', 'Job', {
          pending: ({ object }) => (object.spec as { wanted?: boolean } | undefined)?.wanted === true,
          settle: (_, name) => settle(id, name),
          ...options.change,
        }),
        store,
        slice: id,
        clock,
        collaborators: { namespaceState: () => 'active', resolveOwner: () => undefined },
        onUpkeep: () => upkeep?.wake(),
      });
    planes.set(id, known);
    return known;
  };
  const source = async (id: string): Promise<PlaneInUse | undefined> => {
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
  const start = (): Upkeep => {
    upkeep = startUpkeep({ store, clock, log: options.log ?? silentLog, plane: source });
    ends.push(() => upkeep?.stop() ?? Promise.resolve());
    return upkeep;
  };
  const world: World = {
    store,
    clock,
    loaded,
    inUse: () => used,
    get upkeep() {
      return upkeep ?? start();
    },
    plane,
    start: () => void start(),
  };
  return world;
}

async function make(kind: KindStore, name: string, wanted = true): Promise<void> {
  const object = { apiVersion: 'test.example/v1', kind: 'Job', metadata: { name }, spec: { wanted } };
  await kind.verbs.create(systemContext('default'), object, writing);
}

async function write(kind: KindStore, name: string, spec: { wanted?: boolean; note?: string }): Promise<void> {
  await kind.verbs.patch(
    systemContext('default'),
    name,
    { type: 'merge', document: { spec }, findings: [] },
    { ...writing, force: false },
  );
}

async function rows(store: Store): Promise<string[]> {
  return (await store.list(pendingRange)).entries.map(({ key: { segments } }) => segments.slice(1).join(' '));
}

describe('what is pending', () => {
  it('has a row as long as its record says so, written and removed with the object', async () => {
    const { plane, store } = newWorld(async () => undefined);
    const kind = await plane('a');
    await make(kind, 'one');
    await make(kind, 'other', false);
    expect(await rows(store)).toEqual([`a ${key} default one`]);
    await write(kind, 'other', { wanted: true });
    await write(kind, 'one', { wanted: false });
    expect(await rows(store)).toEqual([`a ${key} default other`]);
    await kind.verbs.delete(systemContext('default'), 'other', deleting());
    expect(await rows(store)).toEqual([]);
  });

  it('is settled, also where it was left by a process that is no more, and its row goes', async () => {
    const settled: string[] = [];
    const world = newWorld(async (plane, name) => void settled.push(`${plane}/${name}`));
    await make(await world.plane('a'), 'left');
    await make(await world.plane('b'), 'left');
    await make(await world.plane('gone'), 'left');
    world.start();
    world.upkeep.wake();
    await world.upkeep.idle();
    expect(settled.sort()).toEqual(['a/left', 'b/left']);
    expect(await rows(world.store)).toEqual([]);
    await make(await world.plane('a'), 'now');
    await world.upkeep.idle();
    expect(settled).toContain('a/now');
    expect(world.inUse()).toBe(0);
  });

  it('loads no plane that has nothing pending', async () => {
    const world = newWorld(async () => undefined);
    await make(await world.plane('idle'), 'quiet', false);
    await make(await world.plane('busy'), 'loud');
    world.upkeep.wake();
    await world.upkeep.idle();
    expect(world.loaded).toEqual(['busy']);
  });

  it('is looked at again after the time that it asks for, and sooner if it is written', async () => {
    let looks = 0;
    const world = newWorld(async () => {
      looks += 1;
      return looks < 4 ? 5_000 : undefined;
    });
    const kind = await world.plane('a');
    world.upkeep.wake();
    await make(kind, 'slow');
    await world.upkeep.idle();
    expect(looks).toBe(1);
    world.clock.advance(4_999);
    await world.upkeep.idle();
    expect(looks).toBe(1);
    world.clock.advance(1);
    await world.upkeep.idle();
    expect(looks).toBe(2);
    await write(kind, 'slow', { note: 'changed' });
    await world.upkeep.idle();
    expect(looks).toBe(3);
    world.clock.advance(5_000);
    await world.upkeep.idle();
    expect(looks).toBe(4);
    expect(await rows(world.store)).toEqual([]);
  });

  it('is tried again with longer and longer pauses where it fails', async () => {
    let fails = true;
    const times: number[] = [];
    const warned: string[] = [];
    const log: Log = { ...silentLog, warn: (members) => void warned.push(String(members.error)) };
    const world = newWorld(
      async () => {
        times.push(world.clock.elapsed());
        if (fails) throw new Error('not today');
        return undefined;
      },
      { log },
    );
    const kind = await world.plane('a');
    world.upkeep.wake();
    await make(kind, 'hard');
    await world.upkeep.idle();
    for (let step = 0; step < 400; step++) {
      world.clock.advance(10);
      await world.upkeep.idle();
    }
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.length).toBeGreaterThan(4);
    expect(pauses.length).toBeLessThan(12);
    expect(pauses.at(-1)).toBeGreaterThan((pauses[0] ?? 0) * 4);
    expect(new Set(warned)).toEqual(new Set(['Error: not today']));
    expect(world.inUse()).toBe(0);
    fails = false;
    world.clock.advance(60_000);
    await world.upkeep.idle();
    expect(await rows(world.store)).toEqual([]);
  });

  it('is looked at once more where it was written while it was being settled', async () => {
    const seen: unknown[] = [];
    const world = newWorld(async (plane, name) => {
      const kind = await world.plane(plane);
      seen.push(kind.peek('default', name)?.object.spec);
      if (seen.length === 1) await write(kind, name, { note: 'meanwhile' });
      return undefined;
    });
    world.upkeep.wake();
    await make(await world.plane('a'), 'busy');
    await world.upkeep.idle();
    expect(seen).toEqual([{ wanted: true }, { wanted: true, note: 'meanwhile' }]);
    expect(await rows(world.store)).toEqual([]);
  });

  it('does not wait for another that takes its time, and each is settled once at a time', async () => {
    const done: string[] = [];
    let underWay = 0;
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = newWorld(async (_plane, name) => {
      underWay += 1;
      expect(underWay).toBeLessThanOrEqual(16);
      if (name === 'slow') await gate;
      underWay -= 1;
      done.push(name);
      return undefined;
    });
    const kind = await world.plane('a');
    world.upkeep.wake();
    await make(kind, 'slow');
    for (let index = 0; index < 40; index++) await make(kind, `quick-${index}`);
    await write(kind, 'slow', { note: 'again' });
    while (done.length < 40) await new Promise((resolve) => setImmediate(resolve));
    expect(done).not.toContain('slow');
    release();
    await world.upkeep.idle();
    expect(done.filter((name) => name === 'slow')).toHaveLength(2);
    expect(await rows(world.store)).toEqual([]);
  });

  it('is brought back by whatever unsettles it', async () => {
    const settled: string[] = [];
    const world = newWorld(async (_plane, name) => void settled.push(name), {
      change: {
        unsettles: (old, next) =>
          (next ?? old)?.object.metadata.name === 'cause'
            ? [{ resource: key, namespace: 'default', name: 'effect' }]
            : [],
      },
    });
    const kind = await world.plane('a');
    world.upkeep.wake();
    await make(kind, 'effect');
    await world.upkeep.idle();
    await make(kind, 'cause', false);
    await world.upkeep.idle();
    await kind.verbs.delete(systemContext('default'), 'cause', deleting());
    await world.upkeep.idle();
    expect(settled).toEqual(['effect', 'effect', 'effect']);
  });
});
