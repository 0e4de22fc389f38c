import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller, apiRoot } from './api-caller.ts';
import { eventually } from './eventually.ts';
import { heapReporting, liveHeap } from './live-heap.ts';
import { openWatches } from './open-watches.ts';
import { megabytes, residentMemory } from './process-memory.ts';
import { connectTls } from './raw-connection.ts';
import { formatLatency, type Latency, runWorkload } from './run-workload.ts';
import { WatchCrowd } from './watch-crowd.ts';

const projects = `/apis/${managementGroup}/v1/projects`;
const watching = `${projects}?watch=true`;
const changes = 400;
/** The size of one change. All changes together are ten times the capacity of socket buffers and queues. */
const bytes = 100_000;
const mostGrowth = 32 * 1024 * 1024;

let server: FlotillaProcess;
let caller: ApiCaller;
const readers = new WatchCrowd();
const closings: (() => void)[] = [];

beforeAll(async () => {
  server = await startFlotilla({ args: ['--log-level', 'warn'], nodeArgs: heapReporting });
  caller = await ApiCaller.of(server);
});

afterAll(async () => {
  for (const close of closings) close();
  readers.close();
  await caller?.close();
  await server?.remove();
});

async function neverReadOverHttp1(): Promise<void> {
  const socket = await connectTls(caller);
  closings.push(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(`GET ${apiRoot}${watching} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\n\r\n`);
  await once(socket, 'readable');
}

async function neverReadOverHttp2(): Promise<void> {
  const session = connectHttp2(caller.url, { ca: caller.ca });
  session.on('error', () => {});
  const stream = session.request({ ':path': `${apiRoot}${watching}`, authorization: `Bearer ${caller.key}` });
  stream.on('error', () => {});
  // Received data is read at the end: Node's client fails when it is closed with unread data.
  closings.push(() => {
    stream.resume();
    stream.close(constants.NGHTTP2_CANCEL);
    session.close();
  });
  await once(stream, 'response');
}

interface LatencyUnderChanges {
  readonly latency: Latency;
  readonly memory: number;
  readonly made: number;
}

/** Changes one project repeatedly while another client works. Returns the latency of that client's calls. */
async function workDuringChanges(name: string, least: number): Promise<LatencyUnderChanges> {
  const seenBefore = readers.events;
  let memory = 0;
  let made = 0;
  let working = true;
  const churn = (async () => {
    for (; made < least || working; made++) {
      const annotations = { 'example.com/noise': randomBytes(bytes / 2).toString('hex') };
      const { status } = await caller.send('PATCH', `${projects}/default`, { metadata: { annotations } });
      expect(status).toBe(200);
      if (made % 20 === 0) memory = Math.max(memory, await residentMemory(server.pid));
    }
  })();
  const other = await ApiCaller.of(server);
  const work = runWorkload(other, 60, name).finally(() => {
    working = false;
  });
  const [latency] = await Promise.all([work, churn]);
  await other.close();
  await eventually(
    30,
    () => readers.events - seenBefore,
    (events) => events === made * readers.size,
  );
  return { latency, memory, made };
}

it('a watch that never reads is closed while other watches receive everything in time, and leaves nothing behind', async () => {
  const watches = () => openWatches(caller, 'projects');
  await runWorkload(caller, 60, 'warm');
  const heapBefore = await liveHeap(server);
  const watchesBefore = await watches();
  const { metadata } = (await caller.get(projects)) as { metadata: { resourceVersion: string } };
  await readers.open(caller, `${watching}&resourceVersion=${metadata.resourceVersion}`, { sessions: 2, each: 2 });
  const without = await workDuringChanges('without', 100);
  for (let count = 0; count < 5; count++) {
    await neverReadOverHttp1();
    await neverReadOverHttp2();
  }
  expect(await watches()).toBe(watchesBefore + readers.size + 10);
  const most = without.latency.median * 3 + 20;
  let during = await workDuringChanges('during', changes);
  let made = without.made + during.made;
  // A single measurement on a busy machine is unreliable. A real effect shows in every measurement.
  for (let attempt = 1; attempt < 4 && during.latency.median > most; attempt++) {
    during = await workDuringChanges(`during-${attempt}`, 0);
    made += during.made;
  }
  expect(readers.ended).toBe(0);
  console.log(
    `during changes of ${bytes / 1000} kB a call took ${formatLatency(without.latency)} with reading watches, ` +
      `${formatLatency(during.latency)} with 10 more that do not read; memory at most ${megabytes(without.memory)} and ` +
      `${megabytes(during.memory)}, ${made} changes in all`,
  );
  expect(during.latency.median).toBeLessThan(most);

  const started = performance.now();
  await eventually(150, watches, (open) => open === watchesBefore + readers.size);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const annotations = { 'example.com/noise': null };
  expect((await caller.send('PATCH', `${projects}/default`, { metadata: { annotations } })).status).toBe(200);
  const heapAfter = await liveHeap(server);
  console.log(
    `the last of those who never read was gone ${seconds} s later; heap ${megabytes(heapBefore)} before, ` +
      `${megabytes(heapAfter)} afterwards`,
  );
  // The history of all writes stays in memory for a while, with or without watches.
  expect(heapAfter).toBeLessThan(heapBefore + mostGrowth + made * bytes * 1.2);
  expect(server.output()).not.toContain('"level":50');
});
