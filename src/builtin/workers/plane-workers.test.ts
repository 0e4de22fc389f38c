import { randomBytes } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventKind } from '../../api/core/event.ts';
import { kubernetesMastersGroup, quarantineAnnotation } from '../../api/naming.ts';
import { planeIdOf, virtualClusterKind } from '../../api/storage/virtual-cluster.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Attributes } from '../../auth/authz/attributes.ts';
import type { Identity } from '../../auth/identity.ts';
import type { PlaneTarget } from '../../gateway/gateway-target.ts';
import { type Clock, ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { Thread } from '../../process/threads/thread.ts';
import { ThreadActivity } from '../../process/threads/thread-activity.ts';
import { useCpuTime } from '../../process/threads/use-cpu-time.fixture.ts';
import { gcRange } from '../../registry/rows/rows.ts';
import { deriveSealerKeys, openSealer } from '../../seal/open-sealer.ts';
import { interruptibleStore } from '../../store/interruptible-store.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';

import {
  newTestObject,
  openPlanesTestEnv,
  type PlanesTestEnv,
  type PlanesTestEnvOptions,
} from '../planes-test-env.fixture.ts';
import { WorkMarks, workMarksSlice } from '../work-marks.ts';
import type { StartPlaneThread } from './plane-workers.ts';
import { startOnSameThread } from './same-thread.fixture.ts';

const location = { namespace: 'default', name: 'one' };
const admin: UserInfo = { name: 'admin', groups: [kubernetesMastersGroup] };
const configMaps = '/api/v1/namespaces/default/configmaps';

interface Env extends PlanesTestEnv {
  /** The threads in the order of their start. `fail` ends a thread in the same way as an uncaught exception. */
  readonly threads: (Thread & { fail(error: Error): void })[];
}

const environments: Env[] = [];
afterEach(async () => {
  for (const env of environments.splice(0)) await env.close();
});

/** A thread that never answers. */
const startStuck: StartPlaneThread = (_data, ports, onExit) => ({
  async terminate() {
    for (const port of ports) port.close();
    onExit(undefined);
  },
});

async function open(
  start: (clock: Clock) => StartPlaneThread = startOnSameThread,
  change: PlanesTestEnvOptions = {},
  sealerKeys = deriveSealerKeys(randomBytes(32)),
): Promise<Env> {
  const threads: Env['threads'] = [];
  const startThread: StartPlaneThread = (data, ports, onExit) => {
    const thread = start(env.clock)(data, ports, onExit);
    threads.push({
      ...thread,
      fail(error) {
        for (const port of ports) port.close();
        onExit(error);
      },
    });
    return thread;
  };
  const env: PlanesTestEnv = await openPlanesTestEnv({
    ...change,
    workers: { count: 2, stallSeconds: 5, startThread, sealerKeys },
  });
  const whole = { ...env, threads };
  environments.push(whole);
  return whole;
}

async function createVirtualCluster({ hostClient }: Env, name = location.name): Promise<void> {
  await hostClient.resource(virtualClusterKind).create(newTestObject(virtualClusterKind, { ...location, name }));
}

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly body?: JsonObject;
  readonly as?: UserInfo;
  readonly name?: string;
  readonly signal?: AbortSignal;
}

async function send({ planes }: Env, call: Call = {}) {
  const { method = 'GET', path = configMaps, body, as = admin, name = location.name } = call;
  async function* bytes() {
    if (body !== undefined) yield Buffer.from(JSON.stringify(body));
  }
  return await planes.host.clusterApi({ ...location, name }).send({
    method,
    path,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: bytes(),
    as,
    signal: call.signal ?? new AbortController().signal,
  });
}

async function answer(env: Env, call: Call = {}): Promise<{ status: number; json: JsonObject }> {
  const { status, body } = await send(env, call);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { status, json: JSON.parse(Buffer.concat(chunks).toString()) };
}

const create = (env: Env, name: string, cluster = location.name) =>
  answer(env, { method: 'POST', body: { metadata: { name }, data: { a: 'b' } }, name: cluster });

const namesOf = ({ json }: { json: JsonObject }) =>
  listAt(json, 'items')
    .map((item) => textAt(item, 'metadata', 'name'))
    .filter((name) => name !== 'kube-root-ca.crt');

describe('virtual clusters on workers', () => {
  it('serve requests, and authorize them with their own roles', async () => {
    const env = await open();
    await createVirtualCluster(env);
    expect(await create(env, 'x')).toMatchObject({ status: 201, json: { data: { a: 'b' } } });
    expect(namesOf(await answer(env))).toEqual(['x']);
    const refused = await answer(env, { as: { name: 'jane', groups: ['system:authenticated'] } });
    expect(refused.status).toBe(403);
    expect(refused.json.message).toContain('User "jane" cannot list resource "configmaps"');
    expect((await answer(env, { path: '/api/v1/nothing' })).status).toBe(404);
    expect(env.threads).toHaveLength(1);
  });

  it('have running workers as soon as one is created, and none while they are not used', async () => {
    const env = await open();
    await createVirtualCluster(env);
    env.planes.startWorkersAhead();
    await new Promise(setImmediate);
    expect(env.threads).toHaveLength(0);
    await createVirtualCluster(env, 'second');
    await expect.poll(() => env.threads).toHaveLength(2);
  });

  it('are distributed over the workers', async () => {
    const env = await open();
    for (const name of ['one', 'two', 'three']) {
      await createVirtualCluster(env, name);
      expect((await create(env, `in-${name}`, name)).status).toBe(201);
    }
    expect(env.threads).toHaveLength(2);
    expect(namesOf(await answer(env, { name: 'three' }))).toEqual(['in-three']);
  });

  it('stream watches, which end when their reader stops', async () => {
    const env = await open();
    await createVirtualCluster(env);
    const { json } = await answer(env);
    const stop = new AbortController();
    const path = `${configMaps}?watch=1&resourceVersion=${textAt(json, 'metadata', 'resourceVersion')}`;
    const { status, body } = await send(env, { path, signal: stop.signal });
    expect(status).toBe(200);
    await create(env, 'x');
    const events = body[Symbol.asyncIterator]();
    const first = JSON.parse(Buffer.from((await events.next()).value).toString());
    expect([first.type, first.object.metadata.name]).toEqual(['ADDED', 'x']);
    stop.abort();
    expect((await events.next()).done).toBe(true);
  });

  it('open no watch for a request that has ended while its worker was starting', async () => {
    const env = await open();
    await createVirtualCluster(env);
    const stop = new AbortController();
    const answering = send(env, { path: `${configMaps}?watch=1`, signal: stop.signal });
    stop.abort();
    for await (const _ of (await answering).body);
    expect((await answer(env)).status).toBe(200);
  });

  it('stream lists that are too long for one message', async () => {
    const env = await open();
    await createVirtualCluster(env);
    const data = { text: 'x'.repeat(100_000) };
    for (const name of ['a', 'b', 'c', 'd']) await answer(env, { method: 'POST', body: { metadata: { name }, data } });
    expect(namesOf(await answer(env))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are removed with all of their data', async () => {
    const env = await open();
    await createVirtualCluster(env);
    await create(env, 'x');
    await env.hostClient.resource(virtualClusterKind).delete(location);
    await env.runMaintenance();
    for await (const row of env.store.dump()) if (row.row === 'slice') expect(row.slice).not.toMatch(/^vc-/);
  });
});

/** Starts workers that receive no messages from the store after a call of `hold`, until `release` is called. */
function heldStoreMessages() {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const start = (clock: Clock): StartPlaneThread => {
    const startThread = startOnSameThread(clock);
    return (data, ports, onExit) => {
      const { port1, port2 } = new MessageChannel();
      port1.on('message', (message) => data.storePort.postMessage(message));
      data.storePort.on('message', (message) => {
        if (isHeld) waiting.push(() => port1.postMessage(message));
        else port1.postMessage(message);
      });
      data.storePort.on('close', () => port1.close());
      return startThread({ ...data, storePort: port2 }, ports, onExit);
    };
  };
  return {
    start,
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const send of waiting.splice(0)) send();
    },
  };
}

describe('a maintenance task that reaches a worker before the changes that it results from', () => {
  it('runs after these changes (GC-09)', async () => {
    const messages = heldStoreMessages();
    const env = await open(messages.start);
    await createVirtualCluster(env);
    const { json: owner } = await create(env, 'owner');
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: textAt(owner, 'metadata', 'uid') };
    const dependent = { metadata: { name: 'dependent', ownerReferences: [reference] } };
    expect((await answer(env, { method: 'POST', body: dependent })).status).toBe(201);
    await env.maintenance.idle();
    messages.hold();
    const deleted = answer(env, { method: 'DELETE', path: `${configMaps}/owner?propagationPolicy=Orphan` });
    const countRows = async () => (await env.store.list(gcRange)).entries.length;
    await vi.waitUntil(async () => (await countRows()) > 0);
    env.maintenance.wake();
    await expect(vi.waitUntil(async () => (await countRows()) === 0, { timeout: 200 })).rejects.toThrow();
    messages.release();
    expect((await deleted).status).toBe(200);
    await env.maintenance.idle();
    expect(namesOf(await answer(env))).toEqual(['dependent']);
  });
});

/** Opens two processes over one store, with a virtual cluster. `replica` is the store of `other`. */
async function openTwo() {
  const memory = openMemoryStore();
  const sealing = openSealer(randomBytes(32));
  const sealerKeys = deriveSealerKeys(randomBytes(32));
  const [first, replica] = [interruptibleStore(memory), interruptibleStore(memory)];
  const one = await open(startOnSameThread, { store: first.store, sealing }, sealerKeys);
  await createVirtualCluster(one);
  const other = await open(startOnSameThread, { store: replica.store, sealing }, sealerKeys);
  return { one, other, replica };
}

describe('virtual clusters on workers of two processes', () => {
  it('see each other’s writes at once', async () => {
    const { one, other, replica } = await openTwo();
    expect((await create(one, 'x')).status).toBe(201);
    expect(namesOf(await answer(other))).toEqual(['x']);
    replica.hold();
    expect((await create(one, 'y')).status).toBe(201);
    expect(namesOf(await answer(other))).toEqual(['x', 'y']);
    expect((await create(other, 'z')).status).toBe(201);
    expect(namesOf(await answer(one))).toEqual(['x', 'y', 'z']);
    replica.hold();
    expect((await answer(one, { method: 'DELETE', path: `${configMaps}/x` })).status).toBe(200);
    expect((await create(other, 'x')).status).toBe(201);
  });

  it('are loaded again after changes were lost', async () => {
    const { one, other, replica } = await openTwo();
    await create(one, 'x');
    expect(namesOf(await answer(other))).toEqual(['x']);
    const { body } = await send(other, { path: `${configMaps}?watch=1&resourceVersion=0` });
    const events = body[Symbol.asyncIterator]();
    await events.next();
    replica.hold();
    await create(one, 'y');
    replica.interrupt();
    let received = '';
    for (let event = await events.next(); event.done !== true; event = await events.next())
      received += Buffer.from(event.value).toString();
    expect(received).toContain('"code":410');
    await expect.poll(async () => namesOf(await answer(other))).toEqual(['x', 'y']);
    expect(other.threads).toHaveLength(1);
  });
});

describe('a virtual cluster that another process removes', () => {
  it('is unloaded', async () => {
    const { one, other } = await openTwo();
    await create(other, 'x');
    const { body } = await send(other, { path: `${configMaps}?watch=1&resourceVersion=0` });
    const events = body[Symbol.asyncIterator]();
    await events.next();
    await expect.poll(() => other.planes.loaded.planes, { timeout: 5_000 }).toBe(2);
    await one.hostClient.resource(virtualClusterKind).delete(location);
    await one.runMaintenance();
    while ((await events.next()).done !== true);
    expect((await answer(other)).status).toBe(404);
    await expect.poll(() => other.planes.loaded.planes, { timeout: 5_000 }).toBe(1);
  });
});

describe('calls that wait for a stuck worker', () => {
  const impersonate: Attributes = {
    resourceRequest: true,
    verb: 'impersonate',
    group: '',
    version: 'v1',
    resource: 'users',
    subresource: '',
    namespace: '',
    name: 'bob',
  };
  const identity: Identity = { user: admin, system: false, signal: new AbortController().signal };

  it.each<[string, (target: PlaneTarget) => unknown]>([
    ['authentication', (target) => target.authenticate('token')],
    ['impersonation', (target) => target.authorize(identity, impersonate)],
  ])('are limited: %s', async (_name, call) => {
    const env = await open(() => startStuck);
    await createVirtualCluster(env);
    const planeId = planeIdOf(await env.hostClient.resource(virtualClusterKind).get(location));
    const opened = await env.planes.planes.open(planeId);
    if (opened === undefined) throw new Error('the plane does not exist');
    const waiting = Array.from({ length: 200 }, async () => await call(opened.target));
    env.clock.advance(250);
    await expect((async () => await call(opened.target))()).rejects.toMatchObject({ code: 429 });
    await expect.poll(() => env.threads).toHaveLength(1);
    await env.threads[0]?.terminate();
    const codes = (await Promise.allSettled(waiting)).map(
      (result) => result.status === 'rejected' && result.reason.code,
    );
    expect(new Set(codes)).toEqual(new Set([503]));
  });
});

describe('the end of a worker', () => {
  it('ends its watches; the next request starts a new worker, and nothing is lost', async () => {
    const env = await open();
    await createVirtualCluster(env);
    await create(env, 'x');
    const { body } = await send(env, { path: `${configMaps}?watch=1&resourceVersion=0` });
    const events = body[Symbol.asyncIterator]();
    await events.next();
    env.threads[0]?.fail(new Error('out of memory'));
    for (let event = await events.next(); event.done !== true; event = await events.next());
    expect(namesOf(await answer(env))).toEqual(['x']);
    expect(env.threads).toHaveLength(2);
  });

  it('is reported as an event, and the fourth failure within ten minutes quarantines the virtual cluster', async () => {
    const env = await open();
    await createVirtualCluster(env);
    const virtualClusters = env.hostClient.resource(virtualClusterKind);
    const events = env.hostClient.resource(eventKind);
    const reasons = async () =>
      (await events.list({ namespace: location.namespace })).items.map(({ reason }) => reason);
    await create(env, 'x');
    const expected: string[] = [];
    for (const reason of ['WorkerReplaced', 'WorkerReplaced', 'WorkerReplaced', 'Quarantined']) {
      expect((await answer(env)).status).toBe(200);
      env.threads.at(-1)?.fail(new Error('out of memory'));
      expected.push(reason);
      await expect.poll(reasons).toEqual(expected);
      env.clock.advance(60_000);
    }
    const refused = await answer(env);
    expect([refused.status, refused.json.message]).toEqual([503, expect.stringContaining('is quarantined: ')]);
    const planeId = planeIdOf(await virtualClusters.get(location));
    const task = { type: 'reconcile', object: { resource: 'namespaces', namespace: '', name: 'default' } } as const;
    await expect(env.planes.runTask(planeId, task)).rejects.toMatchObject({ code: 503 });
    await env.runMaintenance();
    const quarantined = await virtualClusters.get(location);
    expect(quarantined.status).toMatchObject({ phase: 'Failed', reason: 'Quarantined' });
    await virtualClusters.patch(location, { metadata: { annotations: { [quarantineAnnotation]: null } } });
    expect(namesOf(await answer(env))).toEqual(['x']);
    await env.runMaintenance();
    expect((await virtualClusters.get(location)).status).toMatchObject({ phase: 'Ready' });
  });

  it('counts after a restart of the server, too', async () => {
    const store = openMemoryStore();
    let env = await open(undefined, { store });
    await createVirtualCluster(env);
    const reasons = async () =>
      (await env.hostClient.resource(eventKind).list({ namespace: location.namespace })).items.map(
        ({ reason }) => reason,
      );
    for (let failure = 1; failure <= 4; failure++) {
      expect((await answer(env)).status).toBe(200);
      env.threads.at(-1)?.fail(new Error('out of memory'));
      await expect.poll(async () => (await reasons()).length).toBe(failure);
      await env.close();
      const clock = new ManualClock(env.clock.now() + 60_000);
      env = await open(undefined, { store, clock });
    }
    expect((await reasons()).at(-1)).toBe('Quarantined');
    expect((await answer(env)).json.message).toContain('is quarantined: ');
  });
});

describe('a virtual cluster for which a worker does long work when the server ends', () => {
  it('is quarantined after the second time, before its plane is loaded', async () => {
    const store = openMemoryStore();
    let env = await open(undefined, { store });
    await createVirtualCluster(env);
    const planeId = planeIdOf(await env.hostClient.resource(virtualClusterKind).get(location));
    for (let end = 1; end <= 2; end++) {
      expect((await answer(env)).status).toBe(200);
      const marks = await WorkMarks.open({ store, subject: 'planes', clock: env.clock, log: silentLog });
      marks.begin(planeId);
      await marks.close();
      await env.close();
      env = await open(undefined, { store, clock: new ManualClock(env.clock.now() + 60_000) });
    }
    const { items } = await env.hostClient.resource(eventKind).list({ namespace: location.namespace });
    expect(items.map(({ reason }) => reason)).toEqual(['ServerEnded', 'Quarantined']);
    const { status, json } = await answer(env);
    expect([status, json.message]).toEqual([
      503,
      expect.stringContaining('the server ended while a worker did long work'),
    ]);
    expect(env.threads).toEqual([]);
  });

  it('is marked after half a second of CPU time, until the worker returns to its event loop', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const activities: ThreadActivity[] = [];
    const env = await open(() => (data, ports, onExit) => {
      const activity = new ThreadActivity(data.activity);
      activity.startHeartbeat()();
      activity.setTask('vc-1');
      activities.push(activity);
      return startStuck(data, ports, onExit);
    });
    void env.planes.planes.probe('vc-1').catch(() => {});
    await expect.poll(() => activities).toHaveLength(1);
    const markedPlanes = async () =>
      (await env.store.list({ slice: workMarksSlice, prefix: [] })).entries.map(({ key }) => key.segments[1]);
    vi.advanceTimersByTime(500);
    useCpuTime(0.6);
    vi.advanceTimersByTime(250);
    await expect.poll(markedPlanes).toEqual(['vc-1']);
    activities[0]?.setTask('vc-2');
    vi.advanceTimersByTime(250);
    await expect.poll(markedPlanes).toEqual([]);
  });
});
