import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ClassicLevel } from 'classic-level';
import { expect, it } from 'vitest';
import { planeRowsOf, testFleet, withBorrowedPlane } from '../../src/controlplane/fleet/fleet.fixture.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { resourceKey } from '../../src/registry/rows/rows.ts';
import {
  newWidget,
  serverContext,
  testDeleteOptions,
  testWriteOptions,
  widgetResource,
} from '../../src/registry/widgets.fixture.ts';
import { openEmbeddedStore } from '../../src/store/embedded/embedded.ts';

const planes = 1_000;
const rounds = 10;
/**
 * The allowed growth of the heap in bytes. It covers the fixture's list of ids and compiled code. A leak of one
 * kilobyte per plane would add four times as many bytes.
 */
const allowedGrowth = 2 * 1024 * 1024;

it('a thousand planes created and removed ten times leave memory unchanged and nothing in the store', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-churn-'));
  const store = await openEmbeddedStore({ directory });
  const { fleet } = testFleet({ store, clock: systemClock, memoryBudget: 8 * 1024 * 1024 });
  const live: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const ids = Array.from({ length: planes }, (_, index) => `vc-${round}-${index}`);
    for (let at = 0; at < ids.length; at += 50) await Promise.all(ids.slice(at, at + 50).map(liveIn));
    for (let at = 0; at < ids.length; at += 50) await Promise.all(ids.slice(at, at + 50).map((id) => fleet.remove(id)));
    expect(await planeRowsOf(store)).toEqual([]);
    expect(fleet.loaded).toEqual({ planes: 0, bytes: 0 });
    live.push(liveHeap());
  }
  await store.close();
  expect(await keysIn(directory)).toEqual(['midentity', 'mposition', 'mschema']);
  await rm(directory, { recursive: true, force: true });
  console.info(`live heap after each round: ${live.join(' ')}`);
  // Compares with the second round, because the first rounds fill everything that is filled only once: compiled code,
  // object shapes, and the table of the store's files.
  expect((live.at(-1) ?? 0) - (live[1] ?? 0), `live heap after each round: ${live.join(' ')}`).toBeLessThan(
    allowedGrowth,
  );

  async function liveIn(id: string): Promise<void> {
    await fleet.create(id);
    await withBorrowedPlane(fleet, id, async (plane) => {
      const kind = plane.kinds.get(resourceKey(widgetResource));
      await kind?.verbs.create(serverContext(), newWidget('x'), testWriteOptions);
      await kind?.verbs.delete(serverContext(), 'x', testDeleteOptions({ gracePeriodSeconds: 3_600 }));
      await kind?.verbs.delete(serverContext(), 'first', testDeleteOptions());
    });
  }
}, 600_000);

/** Returns the keys of all rows in the database, history included. */
async function keysIn(directory: string): Promise<string[]> {
  const db = new ClassicLevel<string, string>(directory);
  try {
    return await db.keys().all();
  } finally {
    await db.close();
  }
}

function liveHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  return process.memoryUsage().heapUsed;
}
