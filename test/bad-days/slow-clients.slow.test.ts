import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller, apiRoot } from './api-caller.ts';
import { eventually } from './eventually.ts';
import { heapReporting, liveHeap } from './live-heap.ts';
import { whyTooFewFiles } from './open-files.ts';
import { inWords, type Latency, workOrdinarily, workUnnoticing } from './ordinary-client.ts';
import { megabytes, residentMemory } from './process-memory.ts';
import { SlowClient } from './slow-client.ts';

const clients = 2_000;
/** Of the heap, for what the work itself leaves behind: the history of what it wrote. */
const mostGrowth = 32 * 1024 * 1024;
const teams = `${apiRoot}/apis/${managementGroup}/v1/teams`;

// Both ends of a connection are files, each in a process of its own.
const reason = whyTooFewFiles(clients + 200);
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

/** A call may take so long that nobody would call it slower. */
function unnoticed({ median }: Latency): number {
  return median * 3 + 20;
}

/** Those whom the server bears with for longest come first, so that all are there at the same time. */
function kindOf(index: number): Promise<SlowClient> {
  if (index < clients / 3) return SlowClient.slowBody(caller, teams);
  return index < (2 * clients) / 3 ? SlowClient.slowHeaders(caller) : SlowClient.halfOpen(caller);
}

describe.skipIf(reason !== undefined)('2,000 clients that hardly say anything', () => {
  let before: Latency;
  let heapBefore: number;

  it('are not noticed by others', async () => {
    await workOrdinarily(caller, 60, 'warm');
    before = await workOrdinarily(caller, 60, 'before');
    heapBefore = await liveHeap(server);
    const memoryBefore = await residentMemory(server.pid);
    for (let opened = 0; opened < clients; opened += 50) {
      slow.push(...(await Promise.all(Array.from({ length: 50 }, (_, index) => kindOf(opened + index)))));
    }
    trickling = setInterval(() => {
      for (const client of slow) client.trickle();
    }, 1_000);
    const open = slow.filter(({ closed }) => !closed).length;
    const during = await workUnnoticing(caller, 60, 'during', unnoticed(before));
    console.log(
      `${open} of ${clients} connections held: a call took ${inWords(before)} before, ${inWords(during)} with them; ` +
        `memory ${megabytes(memoryBefore)} before, ${megabytes(await residentMemory(server.pid))} with them`,
    );
    expect(open).toBeGreaterThan(clients / 2);
    expect(during.median).toBeLessThan(unnoticed(before));
  });

  it('are sent away, told why where they can hear it, and leave nothing behind', async () => {
    const left = () => slow.filter(({ closed }) => !closed).length;
    await eventually(90, left, (count) => count === 0);
    const told = slow.filter(({ heard }) => /^HTTP\/1\.1 (408|504) [\s\S]*"reason":"Timeout"/.test(heard)).length;
    console.log(`${told} of ${clients} were told that they were too slow`);
    expect(told).toBeGreaterThan(clients / 2);
    const after = await workUnnoticing(caller, 60, 'last', unnoticed(before));
    const heapAfter = await liveHeap(server);
    console.log(
      `afterwards ${inWords(after)}; heap ${megabytes(heapBefore)} before, ${megabytes(heapAfter)} afterwards`,
    );
    expect(heapAfter).toBeLessThan(heapBefore + mostGrowth);
    expect(after.median).toBeLessThan(unnoticed(before));
    expect(server.output()).not.toContain('"level":50');
  });
});
