import { afterAll, beforeAll, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller } from './api-caller.ts';
import { eventually } from './eventually.ts';
import { heapReporting, liveHeap } from './live-heap.ts';
import { openWatches } from './open-watches.ts';
import { megabytes, residentMemory } from './process-memory.ts';
import { formatLatency, runWorkload, runWorkloadUntilFast } from './run-workload.ts';
import { WatchCrowd } from './watch-crowd.ts';

const users = `/apis/${managementGroup}/v1/users`;
/** The allowed heap growth for the history of the test's own writes. */
const mostGrowth = 32 * 1024 * 1024;

let server: FlotillaProcess;
let caller: ApiCaller;
const crowd = new WatchCrowd();

beforeAll(async () => {
  server = await startFlotilla({ args: ['--log-level', 'warn'], nodeArgs: heapReporting });
  caller = await ApiCaller.of(server);
});

afterAll(async () => {
  crowd.close();
  await caller?.close();
  await server?.remove();
});

it('5,000 idle watches do not slow down other clients, all receive a change, and leave nothing behind', async () => {
  await runWorkload(caller, 60, 'warm');
  const before = await runWorkload(caller, 60, 'before');
  const heapBefore = await liveHeap(server);
  const memoryBefore = await residentMemory(server.pid);
  const watches = () => openWatches(caller, 'users');
  const watchesBefore = await watches();
  const { metadata } = (await caller.get(users)) as { metadata: { resourceVersion: string } };
  const path = `${users}?watch=true&allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`;
  await crowd.open(caller, path, { sessions: 10, each: 500 });
  const memoryWith = await residentMemory(server.pid);
  const most = before.median * 3 + 20;
  const during = await runWorkloadUntilFast(caller, 60, 'during', most);
  console.log(
    `${crowd.size} watches: a call took ${formatLatency(before)} before, ${formatLatency(during)} with them; ` +
      `memory ${megabytes(memoryBefore)} before, ${megabytes(memoryWith)} with them`,
  );
  expect(during.median).toBeLessThan(most);
  expect([crowd.events, crowd.ended]).toEqual([0, 0]);
  expect((memoryWith - memoryBefore) / crowd.size).toBeLessThan(40 * 1024);

  const changed = performance.now();
  await caller.make(users, { metadata: { name: 'newcomer' } });
  await eventually(
    30,
    () => crowd.events,
    (events) => events >= crowd.size,
  );
  console.log(`all received a change within ${(performance.now() - changed).toFixed(0)} ms`);
  expect(crowd.ended).toBe(0);

  crowd.close();
  const after = await runWorkload(caller, 60, 'last');
  await eventually(30, watches, (open) => open === watchesBefore);
  const heapAfter = await liveHeap(server);
  console.log(
    `afterwards ${formatLatency(after)}; heap ${megabytes(heapBefore)} before, ${megabytes(heapAfter)} afterwards`,
  );
  expect(heapAfter).toBeLessThan(heapBefore + mostGrowth);
  expect(server.output()).not.toContain('"level":50');
});
