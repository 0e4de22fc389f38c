import { type JsonObject, listAt, numberAt, textAt, valueAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { ManualClock } from '../../lib/clock.ts';
import { gatewayPath } from '../gateway.fixture.ts';
import { inPhase, instancesOf, isGone, waitForInstance } from '../instances.fixture.ts';
import { groupPath, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';
import { usageSlice } from './usage-rows.ts';

const start = Date.parse('2026-11-15T12:00:00Z');
const minute = 60_000;
const instances = instancesOf('default');

let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock(start);
  server = await bench.start({}, clock);
  await make('demo');
});
afterEach(() => bench.close());

async function make(name: string): Promise<void> {
  const answer = await bench.send(server, instances, { method: 'POST', body: { metadata: { name } } });
  expect(answer.code, answer.text).toBe(201);
  await waitForInstance(bench, server, { name }, inPhase('Ready'));
}

async function usage(path: string): Promise<JsonObject> {
  const { code, json, text } = await bench.send(server, path);
  expect(code, text).toBe(200);
  return json;
}

/** Advances the clock minute by minute until the usage of `path` has this number of observed seconds. */
async function pass(minutes: number, path = `${groupPath}/usages/fleet`): Promise<JsonObject> {
  const before = numberAt(await usage(path), 'total', 'seconds') ?? 0;
  let read: JsonObject = {};
  for (let passed = 1; passed <= minutes; passed++) {
    clock.advance(minute);
    // The interval has ended, but its work takes a few more turns of the event loop.
    for (;;) {
      read = await usage(path);
      if ((numberAt(read, 'total', 'seconds') ?? 0) >= before + passed * 60) break;
    }
  }
  return read;
}

const list = (name: string) => bench.send(server, `${gatewayPath(name)}/api/v1/namespaces/default/configmaps`);

/**
 * Adds a test that advances the clock by minutes. Not run on etcd, where this ends the tenure of a replica;
 * usage-replicas.test.ts uses seconds.
 */
const itWithMinutes = (name: string, run: () => Promise<void>) =>
  itExceptOnEtcd(name, 'the tenure of a replica ends when the clock jumps', run);

describe('the usage of a virtual cluster', () => {
  itWithMinutes(
    'contains its requests, objects and running time, and that of its project, its cluster and the fleet',
    async () => {
      for (let count = 0; count < 5; count++) expect((await list('demo')).code).toBe(200);
      await pass(10);
      const paths = [
        `${instances}/demo/usage`,
        `${groupPath}/projects/default/usage`,
        `${groupPath}/clusters/local/usage`,
        `${groupPath}/usages/fleet`,
      ];
      for (const path of paths) {
        const read = await usage(path);
        expect(read.kind).toBe('Usage');
        expect(numberAt(read, 'total', 'requests'), path).toBe(5);
        expect(numberAt(read, 'total', 'seconds'), path).toBe(600);
        expect(numberAt(read, 'total', 'instances'), path).toBe(1);
        expect(numberAt(read, 'total', 'running'), path).toBe(1);
        expect(numberAt(read, 'total', 'objects'), path).toBeGreaterThan(5);
        expect(numberAt(read, 'total', 'bytes'), path).toBeGreaterThan(1000);
        expect(numberAt(read, 'total', 'workerSeconds'), path).toBeGreaterThan(0);
        // The built-in cluster runs no pods, so these amounts are absent, not zero.
        for (const absent of ['cpuCores', 'memoryBytes', 'storageBytes', 'cost']) {
          expect(valueAt(read, 'total', absent), `${path} ${absent}`).toBeUndefined();
        }
        expect(listAt(read, 'samples').map((sample) => textAt(sample, 'start'))).toEqual([
          '2026-11-15T12:00:00Z',
          '2026-11-15T12:05:00Z',
        ]);
      }
    },
  );

  itWithMinutes('counts open watches by time', async () => {
    const { body } = await bench.request(server, `${gatewayPath('demo')}/api/v1/namespaces/default/configmaps?watch=1`);
    await pass(4);
    body.on('error', () => {});
    body.destroy();
    const read = await usage(`${instances}/demo/usage`);
    expect(numberAt(read, 'total', 'watches')).toBeGreaterThan(0.7);
    expect(numberAt(read, 'total', 'watches')).toBeLessThanOrEqual(1);
  });

  itWithMinutes('survives a restart, and shows the time without a server as a gap', async () => {
    await list('demo');
    await pass(5);
    await bench.stop(server);
    clock.advance(20 * minute);
    server = await bench.start({}, clock);
    await pass(5);
    const read = await usage(`${instances}/demo/usage`);
    expect(numberAt(read, 'total', 'requests')).toBe(1);
    expect(listAt(read, 'samples').map((sample) => textAt(sample, 'start').slice(11, 16))).toEqual(['12:00', '12:25']);
    // The plane has not been loaded since the restart, so the sample contains the last known number of its objects.
    const [before, after] = listAt(read, 'samples');
    expect(numberAt(after, 'objects')).toBe(numberAt(before, 'objects'));
    expect(numberAt(await usage(`${instances}/demo/usage?period=14d`), 'total', 'requests')).toBe(1);
  });

  itWithMinutes('is removed with the virtual cluster, and stays part of the usage of its project', async () => {
    await list('demo');
    await pass(16);
    const uid = textAt(await usage(`${instances}/demo`), 'metadata', 'uid');
    await bench.send(server, `${instances}/demo`, { method: 'DELETE' });
    await waitForInstance(bench, server, { name: 'demo' }, isGone);
    expect((await bench.send(server, `${instances}/demo/usage`)).code).toBe(404);
    expect(numberAt(await pass(1, `${groupPath}/projects/default/usage`), 'total', 'requests')).toBe(1);
    await bench.stop(server);
    const store = await bench.openStore();
    const { entries } = await store.list({ slice: usageSlice, prefix: [] });
    await store.close();
    expect(entries.length).toBeGreaterThan(3);
    expect(entries.filter(({ key }) => key.segments.at(-1) === `instance/${uid}`)).toEqual([]);
  });

  itWithMinutes('has costs with the prices of the price list, also as CSV', async () => {
    const spec = { currency: 'EUR', prices: { instanceHour: '6', millionRequests: '1000000' } };
    const prices = `${groupPath}/pricelists`;
    const refused = await bench.send(server, prices, { method: 'POST', body: { metadata: { name: 'other' }, spec } });
    expect(refused.code).toBe(422);
    expect(refused.text).toContain('there is only one price list');
    const wrong = { ...spec, prices: { instanceHour: '-1' } };
    expect(
      (await bench.send(server, prices, { method: 'POST', body: { metadata: { name: 'default' }, spec: wrong } })).code,
    ).toBe(422);
    const formula = { currency: '=1', prices: {} };
    expect(
      (await bench.send(server, prices, { method: 'POST', body: { metadata: { name: 'default' }, spec: formula } }))
        .code,
    ).toBe(422);
    await bench.createObject(server, 'pricelists', 'default', spec);
    await list('demo');
    await pass(5);
    const read = await usage(`${instances}/demo/usage`);
    expect([textAt(read, 'total', 'cost'), textAt(read, 'currency')]).toEqual(['1.50', 'EUR']);
    const response = await bench.request(server, `${instances}/demo/usage`, {}, { accept: 'text/csv' });
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [header, row] = (await response.body.text()).split('\r\n');
    expect(header).toMatch(/^start,seconds,requests,/);
    expect(row).toMatch(/^2026-11-15T12:00:00Z,300,1,.*,1\.50,EUR$/);
    expect((await bench.send(server, `${groupPath}/usages/fleet?format=csv`)).text).toContain(',1.50,EUR');
  });

  it('refuses unknown periods and names', async () => {
    expect((await bench.send(server, `${instances}/demo/usage?period=1h`)).text).toContain('it can be 24h or 14d');
    expect((await bench.send(server, `${instances}/nothing/usage`)).code).toBe(404);
    expect((await bench.send(server, `${groupPath}/usages/other`)).code).toBe(404);
    expect((await bench.send(server, `${instances}/demo?format=csv`)).text).toContain('VirtualClusterInstance');
  });
});
