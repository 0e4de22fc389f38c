import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller, apiRoot } from './api-caller.ts';
import { eventually } from './eventually.ts';
import { fileLimitReason } from './file-limit-reason.ts';
import { heapReporting, liveHeap } from './live-heap.ts';
import { megabytes, residentMemory } from './process-memory.ts';
import { formatLatency, type Latency, runWorkload, runWorkloadUntilFast } from './run-workload.ts';
import { SlowClient } from './slow-client.ts';

const clients = 2_000;
/** The allowed heap growth for the history of the test's own writes. */
const mostGrowth = 32 * 1024 * 1024;
const teams = `${apiRoot}/apis/${managementGroup}/v1/teams`;

// Both ends of a connection are file descriptors, each in a separate process.
const reason = fileLimitReason(clients + 200);
if (reason !== undefined) console.warn(`SKIPPED: ${clients} slow clients are not tested here: ${reason}`);

let server: FlotillaProcess;
let caller: ApiCaller;
const slow: SlowClient[] = [];
let trickling: NodeJS.Timeout | undefined;

beforeAll(async () => {
  if (reason !== undefined) return;
  server = await startFlotilla({ args: ['--log-level', 'warn'], nodeArgs: heapReporting });
  caller = await ApiCaller.of(server);
});

afterAll(async () => {
  clearInterval(trickling);
  for (const client of slow) client.close();
  await caller?.close();
  await server?.remove();
});

/** The highest median latency that does not count as slower. */
function acceptableLatency({ median }: Latency): number {
  return median * 3 + 20;
}

/**
 * Opens a slow client. The clients with the longest timeouts connect first, so all clients are connected at the same
 * time.
 */
function openSlowClient(index: number): Promise<SlowClient> {
  if (index < clients / 3) return SlowClient.slowBody(caller, teams);
  return index < (2 * clients) / 3 ? SlowClient.slowHeaders(caller) : SlowClient.halfOpen(caller);
}

describe.skipIf(reason !== undefined)('2,000 slow clients', () => {
  let before: Latency;
  let heapBefore: number;

  it('do not slow down other clients', async () => {
    await runWorkload(caller, 60, 'warm');
    before = await runWorkload(caller, 60, 'before');
    heapBefore = await liveHeap(server);
    const memoryBefore = await residentMemory(server.pid);
    for (let opened = 0; opened < clients; opened += 50) {
      slow.push(...(await Promise.all(Array.from({ length: 50 }, (_, index) => openSlowClient(opened + index)))));
    }
    trickling = setInterval(() => {
      for (const client of slow) client.trickle();
    }, 1_000);
    const open = slow.filter(({ closed }) => !closed).length;
    const during = await runWorkloadUntilFast(caller, 60, 'during', acceptableLatency(before));
    console.log(
      `${open} of ${clients} connections held: a call took ${formatLatency(before)} before, ${formatLatency(during)} with them; ` +
        `memory ${megabytes(memoryBefore)} before, ${megabytes(await residentMemory(server.pid))} with them`,
    );
    expect(open).toBeGreaterThan(clients / 2);
    expect(during.median).toBeLessThan(acceptableLatency(before));
  });

  it('are disconnected, with the reason where the protocol allows it, and leave nothing behind', async () => {
    const left = () => slow.filter(({ closed }) => !closed).length;
    await eventually(90, left, (count) => count === 0);
    const informed = slow.filter(({ received }) =>
      /^HTTP\/1\.1 (408|504) [\s\S]*"reason":"Timeout"/.test(received),
    ).length;
    console.log(`${informed} of ${clients} received a timeout response`);
    expect(informed).toBeGreaterThan(clients / 2);
    const after = await runWorkloadUntilFast(caller, 60, 'last', acceptableLatency(before));
    const heapAfter = await liveHeap(server);
    console.log(
      `afterwards ${formatLatency(after)}; heap ${megabytes(heapBefore)} before, ${megabytes(heapAfter)} afterwards`,
    );
    expect(heapAfter).toBeLessThan(heapBefore + mostGrowth);
    expect(after.median).toBeLessThan(acceptableLatency(before));
    expect(server.output()).not.toContain('"level":50');
  });
});
