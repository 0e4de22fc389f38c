import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../test/harness/etcd/it-except-on-etcd.ts';
import type { ReadyDay } from '../api/management/v1/project.ts';
import { ManualClock } from '../lib/clock.ts';
import { readLines } from '../lib/read-lines.ts';
import { inPhase, instancesOf, isGone, waitForInstance } from './instances.fixture.ts';
import { groupPath, mergePatch, ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

const instances = instancesOf('default');
const start = Date.parse('2026-11-15T23:59:00Z');

let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock(start);
  server = await bench.start({}, clock);
});
afterEach(() => bench.close());

async function make(name: string, annotations: JsonObject = {}): Promise<void> {
  const body = { metadata: { name, annotations } };
  const answer = await bench.send(server, instances, { method: 'POST', body });
  expect(answer.code, answer.text).toBe(201);
}

const until = (name: string, has: (object: JsonObject | undefined) => boolean) =>
  waitForInstance(bench, server, { name }, has);
const isReady = inPhase('Ready');

describe('the time to ready of virtual clusters', () => {
  const project = `${groupPath}/projects/default`;
  const daysOf = (object: JsonObject) => listAt(object, 'status', 'timeToReady') as unknown as ReadyDay[];
  const countOf = (object: JsonObject) => daysOf(object).reduce((sum, day) => sum + day.count, 0);

  /** Waits for the first version of the project with this count. */
  async function untilCounted(wanted: number): Promise<JsonObject> {
    const only = `${groupPath}/projects?fieldSelector=metadata.name%3Ddefault`;
    const { body } = await bench.request(server, `${only}&watch=true&timeoutSeconds=20`);
    for await (const line of readLines(body)) {
      const { object } = JSON.parse(line) as { object: JsonObject };
      if (countOf(object) === wanted) return object;
    }
    throw new Error('the watch ended without a match');
  }

  it('is stored by day in the project status, also for deleted instances, and appears in watches', async () => {
    for (const name of ['a', 'b']) {
      await make(name);
      await until(name, isReady);
    }
    await bench.send(server, `${instances}/a`, { method: 'DELETE' });
    await until('a', isGone);
    expect(countOf((await bench.send(server, project)).json)).toBe(0);
    clock.advance(1_000);
    const counted = await untilCounted(2);
    expect(daysOf(counted)).toEqual([{ day: '2026-11-15', count: 2, buckets: [2, ...Array<number>(17).fill(0)] }]);
    clock.advance(60_000);
    await make('c');
    await until('c', isReady);
    clock.advance(30_000);
    expect(daysOf(await untilCounted(3)).map(({ day, count }) => [day, count])).toEqual([
      ['2026-11-15', 2],
      ['2026-11-16', 1],
    ]);
  });

  it('is written at shutdown, counts each instance once, and survives concurrent project changes', async () => {
    await make('a');
    await make('later', { 'sleepmode.platform.sh/force': 'true' });
    await until('a', isReady);
    await until('later', inPhase('Sleeping'));
    await bench.stop(server);
    server = await bench.start({}, clock);
    expect(countOf((await bench.send(server, project)).json)).toBe(1);
    await bench.send(server, `${instances}/a`, mergePatch({ metadata: { annotations: { touched: 'yes' } } }));
    const wake = { metadata: { annotations: { 'sleepmode.platform.sh/force': null } } };
    await bench.send(server, `${instances}/later`, mergePatch(wake));
    await until('later', isReady);
    const { json } = await bench.send(server, project);
    const put = await bench.send(server, project, { method: 'PUT', body: { ...json, status: {} } });
    expect(put.code, put.text).toBe(200);
    await bench.stop(server);
    server = await bench.start({}, clock);
    expect(countOf((await bench.send(server, project)).json)).toBe(1);
  });
});

const inside = '/kubernetes/project/default/virtualcluster/demo/api/v1/namespaces';
const lastActivity = (object: JsonObject | undefined) => textAt(object, 'status', 'lastActivity');

itExceptOnEtcd(
  'the last activity is written for used instances only, at most every five minutes',
  'a clock that jumps pauses the background work of a replica',
  async () => {
    await make('demo');
    await make('unused');
    const ready = await until('demo', isReady);
    expect(lastActivity(ready)).toBe('');
    clock.advance(3_000);
    expect((await bench.send(server, inside)).code).toBe(200);
    const first = await until('demo', (object) => lastActivity(object) !== '');
    expect(lastActivity(first)).toBe('2026-11-15T23:59:03Z');

    clock.advance(290_000);
    expect((await bench.send(server, inside)).code).toBe(200);
    clock.advance(20_000);
    expect((await bench.send(server, inside)).code).toBe(200);
    const second = await until('demo', (object) => lastActivity(object) !== lastActivity(first));
    expect(lastActivity(second)).toBe('2026-11-16T00:04:13Z');
    const unused = await until('unused', isReady);
    expect(lastActivity(unused)).toBe('');
  },
);
