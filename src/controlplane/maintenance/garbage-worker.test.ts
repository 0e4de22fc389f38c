import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { type GcWork, gcKey, gcRange } from '../../registry/rows/rows.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { sliceRemovedError } from '../../store/store-error.ts';
import { startMaintenance } from './maintenance.ts';
import { tasksInPlanes } from './maintenance-task.ts';
import type { BorrowedPlaneStores } from './plane-stores.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** An empty plane. */
function emptyPlane(id: string): BorrowedPlaneStores {
  return { id, stores: () => [] };
}

function newTestEnv(plane: (id: string) => Promise<BorrowedPlaneStores | undefined>) {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  const maintenance = startMaintenance({ store, clock, log: silentLog, runTask: tasksInPlanes(store, plane) });
  cleanups.push(async () => {
    await maintenance.stop();
    await store.close();
  });
  return {
    clock,
    maintenance,
    async write(id: string, pieces: number) {
      const work: GcWork = { what: 'gone', uid: '', resource: 'widgets.test.example', namespace: 'shop', name: 'one' };
      const writes = Array.from({ length: pieces }, (_, index) => {
        const uid = `uid-${index}`;
        return { key: gcKey(id, uid), value: JSON.stringify({ ...work, uid }), unlogged: true } as const;
      });
      await store.transact({ writes });
      maintenance.wake();
    },
    async left(id: string): Promise<number> {
      const { entries } = await store.list({ ...gcRange, prefix: [...gcRange.prefix, id] });
      return entries.length;
    },
  };
}

describe('the garbage of a control plane', () => {
  it('is collected while another plane is slow, however much garbage that plane has', async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let collected = (): void => {};
    const inOther = new Promise<void>((resolve) => {
      collected = resolve;
    });
    const env = newTestEnv(async (id) => {
      if (id === 'a-slow') await held;
      else collected();
      return emptyPlane(id);
    });
    await env.write('a-slow', 1_200);
    await env.write('b-quick', 1);
    await inOther;
    expect(await env.left('a-slow')).toBe(1_200);
    go();
    await env.maintenance.idle();
    expect([await env.left('a-slow'), await env.left('b-quick')]).toEqual([0, 0]);
  });

  it('is retried with increasing backoff if it cannot be collected', async () => {
    let tries = 0;
    const env = newTestEnv(async (id) => {
      tries++;
      if (tries < 3) throw new Error('not now');
      return emptyPlane(id);
    });
    await env.write('a', 1);
    for (let round = 0; round < 5; round++) {
      await env.maintenance.idle();
      env.clock.advance(60_000);
    }
    await env.maintenance.idle();
    expect([tries, await env.left('a')]).toEqual([3, 0]);
  });

  it('does not stop the others if another process removes the slice of the plane', async () => {
    const removed = new Set<string>();
    const env = newTestEnv(async (id) => {
      if (removed.has(id)) return undefined;
      if (id !== 'a-removed') return emptyPlane(id);
      removed.add(id);
      throw sliceRemovedError();
    });
    await env.write('a-removed', 1);
    await env.write('b', 1);
    await env.maintenance.idle();
    expect([await env.left('a-removed'), await env.left('b')]).toEqual([1, 0]);
    env.clock.advance(60_000);
    await env.maintenance.idle();
    expect(await env.left('a-removed')).toBe(0);
  });

  it('is discarded if the plane is gone', async () => {
    const env = newTestEnv(async () => undefined);
    await env.write('a', 3);
    await env.maintenance.idle();
    expect(await env.left('a')).toBe(0);
  });
});
