import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { type GcWork, gcKey, gcRange } from '../../registry/rows.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { PlaneInUse } from './plane-objects.ts';
import { startUpkeep } from './upkeep.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A plane with nothing in it. */
function emptyPlane(id: string): PlaneInUse {
  return { id, stores: () => [] };
}

function newWorld(plane: (id: string) => Promise<PlaneInUse | undefined>) {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  const upkeep = startUpkeep({ store, clock, log: silentLog, plane });
  ends.push(async () => {
    await upkeep.stop();
    await store.close();
  });
  return {
    clock,
    upkeep,
    async write(id: string, pieces: number) {
      const work: GcWork = { what: 'gone', uid: '', resource: 'widgets.test.example', namespace: 'shop', name: 'one' };
      const writes = Array.from({ length: pieces }, (_, index) => {
        const uid = `uid-${index}`;
        return { key: gcKey(id, uid), value: JSON.stringify({ ...work, uid }), quiet: true } as const;
      });
      await store.transact({ writes });
      upkeep.wake();
    },
    async left(id: string): Promise<number> {
      const { entries } = await store.list({ ...gcRange, prefix: [...gcRange.prefix, id] });
      return entries.length;
    },
  };
}

describe('the garbage of a control plane', () => {
  it('is collected while another plane takes its time, however much that one has', async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let collected = (): void => {};
    const inOther = new Promise<void>((resolve) => {
      collected = resolve;
    });
    const world = newWorld(async (id) => {
      if (id === 'a-slow') await held;
      else collected();
      return emptyPlane(id);
    });
    await world.write('a-slow', 1_200);
    await world.write('b-quick', 1);
    await inOther;
    expect(await world.left('a-slow')).toBe(1_200);
    go();
    await world.upkeep.idle();
    expect([await world.left('a-slow'), await world.left('b-quick')]).toEqual([0, 0]);
  });

  it('waits longer and longer where it cannot be collected, and is not forgotten', async () => {
    let tries = 0;
    const world = newWorld(async (id) => {
      tries++;
      if (tries < 3) throw new Error('not now');
      return emptyPlane(id);
    });
    await world.write('a', 1);
    for (let round = 0; round < 5; round++) {
      await world.upkeep.idle();
      world.clock.advance(60_000);
    }
    await world.upkeep.idle();
    expect([tries, await world.left('a')]).toEqual([3, 0]);
  });

  it('of a plane that is gone goes with it', async () => {
    const world = newWorld(async () => undefined);
    await world.write('a', 3);
    await world.upkeep.idle();
    expect(await world.left('a')).toBe(0);
  });
});
