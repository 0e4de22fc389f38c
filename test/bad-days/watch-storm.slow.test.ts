import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { elapsedSlownessFactor } from '../hostile-input/measure.ts';
import { ApiCaller, apiRoot } from './api-caller.ts';
import { eventually } from './eventually.ts';
import { openWatches } from './open-watches.ts';
import { megabytes, residentMemory } from './process-memory.ts';
import { WatchStorm } from './watch-storm.ts';

const api = `/apis/${managementGroup}/v1`;
const keyCount = 50;
const watches = 5_000;
/** On the reference machine, all watches must be open within this time. Opening them takes two to six seconds there. */
const mostSeconds = 30;
/** A few refusals on a slow machine are acceptable, because their clients retry. Mass refusal is not. */
const mostRefused = watches / 10;
/** The latency in milliseconds that the storm may add to the requests of another caller on the reference machine. */
const acceptableMs = 100;
/** A single measurement on a busy machine is unreliable; a real effect shows in every measurement. */
const attempts = 3;
/** The minimum time for which the other caller sends a request every ten milliseconds: enough requests for a p99. */
const leastSeconds = 5;
const intervalMilliseconds = 10;
/** The number of changes of another kind that all watches must skip when they resume after the restart. */
const changesBeforeRestart = 500;

let server: FlotillaProcess;
let keys: string[];
/**
 * The factor by which this machine is slower than the reference machine, because of its speed and of other programs.
 */
let slowness: number;
const storms: WatchStorm[] = [];

beforeAll(async () => {
  slowness = elapsedSlownessFactor();
  server = await startFlotilla({ args: ['--log-level', 'warn'] });
  const caller = await ApiCaller.of(server);
  keys = await Promise.all(Array.from({ length: keyCount }, (_, number) => makeKey(caller, `storm-${number}`)));
  await caller.close();
});

afterEach(async () => {
  for (const storm of storms.splice(0)) await storm.stop();
});

afterAll(async () => {
  await server?.remove();
});

async function makeKey(caller: ApiCaller, name: string): Promise<string> {
  const body = { apiVersion: `${managementGroup}/v1`, kind: 'OwnedAccessKey', metadata: { name }, spec: {} };
  const { status, text } = await caller.send('POST', `${api}/ownedaccesskeys`, body);
  if (status !== 201) throw new Error(`cannot create a key: ${status} ${text}`);
  return (JSON.parse(text) as { spec: { key: string } }).spec.key;
}

async function startStorm(caller: ApiCaller): Promise<WatchStorm> {
  const { metadata } = (await caller.get(`${api}/users`)) as { metadata: { resourceVersion: string } };
  const path = `${apiRoot}${api}/users?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const { url } = server;
  const storm = new WatchStorm({
    url,
    ca: caller.ca,
    keys,
    clients: keyCount,
    watchesPerClient: watches / keyCount,
    path,
  });
  storms.push(storm);
  return storm;
}

/** Sends gets while the condition holds, and returns the p99 of their latencies. */
async function measureGets(caller: ApiCaller, condition: (elapsedSeconds: number) => boolean): Promise<number> {
  const latencies: number[] = [];
  const began = performance.now();
  while (condition((performance.now() - began) / 1000)) {
    const sent = performance.now();
    await caller.get(`${api}/projects/default`);
    latencies.push(performance.now() - sent);
    await pause(intervalMilliseconds);
  }
  latencies.sort((one, other) => one - other);
  return latencies[Math.floor(0.99 * latencies.length)] ?? 0;
}

/** Sends gets until all watches are open. Returns the time until then, and the p99 of the latencies. */
async function measureUntilComplete(caller: ApiCaller, storm: WatchStorm): Promise<{ seconds: number; p99: number }> {
  let seconds = Number.POSITIVE_INFINITY;
  const p99 = await measureGets(caller, (elapsed) => {
    if (storm.isComplete) seconds = Math.min(seconds, elapsed);
    return elapsed < (storm.isComplete ? leastSeconds : mostSeconds * slowness);
  });
  return { seconds, p99 };
}

function expectConverged(storm: WatchStorm, seconds: number): void {
  expect(seconds).toBeLessThan(mostSeconds * slowness);
  expect(storm.counts).toMatchObject({ open: watches, failed: 0 });
  expect(storm.counts.refused).toBeLessThan(mostRefused);
}

describe('5,000 watches that are opened at once', () => {
  it('are all open after a short time, and another caller is served meanwhile', async () => {
    const caller = await ApiCaller.of(server);
    await measureGets(caller, (elapsed) => elapsed < 1);
    const quietP99 = await measureGets(caller, (elapsed) => elapsed < 2);
    const most = 3 * quietP99 + acceptableMs * slowness;
    const watchesBefore = await openWatches(caller, 'users');
    let p99 = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attempts && p99 >= most; attempt++) {
      const memoryBefore = await residentMemory(server.pid);
      const storm = await startStorm(caller);
      const measured = await measureUntilComplete(caller, storm);
      p99 = measured.p99;
      const memory = (await residentMemory(server.pid)) - memoryBefore;
      console.log(
        `open after ${measured.seconds.toFixed(1)} s, ${storm.counts.refused} refused; memory ${megabytes(memory)}; ` +
          `99 % of the gets took up to ${p99.toFixed(0)} ms, before ${quietP99.toFixed(0)} ms; ` +
          `the machine is ${slowness.toFixed(1)} times as slow as the reference machine`,
      );
      expectConverged(storm, measured.seconds);
      expect(await openWatches(caller, 'users')).toBe(watchesBefore + watches);
      await storm.stop();
      await eventually(
        30 * slowness,
        () => openWatches(caller, 'users'),
        (open) => open === watchesBefore,
      );
    }
    expect(p99).toBeLessThan(most);
    await caller.close();
  });

  it('are all open again a short time after a restart of the server', async () => {
    const before = await ApiCaller.of(server);
    const storm = await startStorm(before);
    await eventually(
      mostSeconds * slowness,
      () => storm.isComplete,
      (isComplete) => isComplete,
    );
    for (let number = 0; number < changesBeforeRestart; number++) {
      await before.make(`${api}/teams`, { metadata: { name: `team-${number}` } });
    }
    await before.close();
    await restart(storm);
    const caller = await ApiCaller.of(server);
    const { seconds, p99 } = await measureUntilComplete(caller, storm);
    // The latency is not checked: right after its start, the server also compiles its code and loads its caches.
    console.log(`open ${seconds.toFixed(1)} s after the restart; 99 % of the gets took up to ${p99.toFixed(0)} ms`);
    expectConverged(storm, seconds);
    await caller.close();
  });
});

/** Restarts the server on the same port, while the clients of the storm try to connect again. */
async function restart(storm: WatchStorm): Promise<void> {
  const { host } = new URL(server.url);
  await server.stop();
  await storm.interrupted();
  const { dataDirectory } = server;
  server = await startFlotilla({ args: ['--log-level', 'warn'], dataDirectory, listen: host });
}
