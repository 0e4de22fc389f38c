import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller, apiRoot } from './api-caller.ts';
import type { BadRequest } from './corpus/bad-request.ts';
import { corpus } from './corpus/corpus.ts';
import { readServedApi } from './corpus/read-served-api.ts';
import { collectionPath, type ServedApi } from './corpus/served-api.ts';
import { createSampleObjects, namespace } from './create-sample-objects.ts';
import { Http2Connection } from './http2-connection.ts';
import { megabytes, residentMemory } from './process-memory.ts';
import { responseDefect } from './response-defect.ts';
import { describeRequest, type Sent, sendAll, timeAlone } from './send-corpus.ts';

const connections = 4;
const longestMilliseconds = 100;
/** The allowed memory growth: the memory that Node reserves for temporary work varies by this much. */
const mostGrowth = 128 * 1024 * 1024;

let server: FlotillaProcess;
let caller: ApiCaller;
let servedApi: ServedApi;

beforeAll(async () => {
  server = await startFlotilla({ args: ['--log-level', 'warn'] });
  caller = await ApiCaller.of(server);
  const names = await createSampleObjects(caller);
  servedApi = await readServedApi({ root: apiRoot, namespace, names, get: (path) => caller.get(path) });
});

afterAll(async () => {
  await caller?.close();
  await server?.remove();
});

/** Returns everything stored, except for the last-used times of keys and the objects created in the meantime. */
async function everything(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const kind of servedApi.kinds.filter(({ collectionMethods }) => collectionMethods.includes('get'))) {
    const list = (await caller.get(collectionPath(servedApi, kind).slice(apiRoot.length))) as unknown as {
      items: Stored[];
    };
    found[kind.collection] = list.items.filter(
      ({ metadata }) => metadata.name !== 'admin' || !kind.kind.endsWith('AccessKey'),
    );
  }
  return found;
}

interface Stored {
  readonly metadata: { readonly name: string };
}

/** Sends the whole corpus over a few HTTP/1.1 connections and returns a summary. */
async function run(requests: readonly BadRequest[]) {
  const faults = new Map<string, string>();
  const times: number[] = [];
  const slow: Sent[] = [];
  const statuses = new Map<number, number>();
  const started = performance.now();
  await sendAll(caller, requests, connections, (sent) => {
    const fault = responseDefect(sent);
    if (fault !== undefined) faults.set(describeRequest(sent.request), fault);
    times.push(sent.milliseconds);
    statuses.set(sent.answer.status, (statuses.get(sent.answer.status) ?? 0) + 1);
    if (sent.milliseconds > longestMilliseconds) slow.push(sent);
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  times.sort((a, b) => a - b);
  const at = (share: number) => `${(times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1)} ms`;
  console.log(
    `${requests.length} requests to ${servedApi.kinds.length} kinds in ${seconds} s: half in ${at(0.5)}, ` +
      `99 % in ${at(0.99)}, 99.9 % in ${at(0.999)}, all in ${at(1)}; answers by status: ` +
      [...statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
  );
  return { faults, slow };
}

describe('a server that is sent bad input', () => {
  it('answers each of more than 20,000 requests in time with a Status that explains the error, and does not change', async () => {
    const requests = [...corpus(servedApi, server.adminKey)];
    expect(requests.length).toBeGreaterThan(20_000);
    const before = await everything();
    await sendAll(caller, everyNth(requests, 3), connections, () => {});
    const warm = await residentMemory(server.pid);
    const { faults, slow } = await run(requests);
    const after = await residentMemory(server.pid);
    console.log(`memory: ${megabytes(warm)} after a third of it, ${megabytes(after)} after all`);

    expect([...faults].slice(0, 20)).toEqual([]);
    expect(await everything()).toEqual(before);
    expect((await caller.send('GET', '/readyz')).status).toBe(200);
    expect(server.output()).not.toContain('"level":50');
    expect(after - warm).toBeLessThan(mostGrowth);

    // The slow requests that are repeated alone, because concurrent requests on a busy machine wait for each other.
    const slowAlone: string[] = [];
    for (const { request } of slow) {
      const alone = await timeAlone(caller, request, 5);
      if (alone > longestMilliseconds) slowAlone.push(`${alone.toFixed(0)} ms: ${describeRequest(request)}`);
    }
    console.log(`${slow.length} took over ${longestMilliseconds} ms concurrently, ${slowAlone.length} alone`);
    expect(slowAlone).toEqual([]);
  });

  it('answers the same over HTTP/2', async () => {
    const before = await everything();
    const connection = new Http2Connection(caller);
    const faults = new Map<string, string>();
    const requests = everyNth(
      [...corpus(servedApi, server.adminKey)].filter(({ raw }) => raw === undefined),
      10,
    );
    for (const request of requests) {
      const answer = await connection.send(request).catch(() => undefined);
      // Node's client does not send requests that HTTP/2 cannot express.
      if (answer === undefined) continue;
      const fault = responseDefect({ request: { ...request, mayBeDropped: true }, answer, milliseconds: 0 });
      if (fault !== undefined) faults.set(describeRequest(request), fault);
    }
    connection.close();
    console.log(`${requests.length} requests over HTTP/2`);
    expect([...faults].slice(0, 20)).toEqual([]);
    expect(await everything()).toEqual(before);
    expect(server.output()).not.toContain('"level":50');
  });
});

function everyNth<T>(all: readonly T[], n: number): T[] {
  return all.filter((_, index) => index % n === 0);
}
