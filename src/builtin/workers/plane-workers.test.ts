import { randomBytes } from 'node:crypto';
import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { eventKind } from '../../api/core/event.ts';
import { kubernetesMastersGroup, quarantineAnnotation } from '../../api/naming.ts';
import { planeIdOf, virtualClusterKind } from '../../api/storage/virtual-cluster.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Thread } from '../../process/threads/thread.ts';
import { deriveSealerKeys } from '../../seal/open-sealer.ts';
import { newTestObject, openPlanesTestEnv, type PlanesTestEnv } from '../planes-test-env.fixture.ts';
import type { StartPlaneThread } from './plane-workers.ts';
import { startOnSameThread } from './same-thread.fixture.ts';

const location = { namespace: 'default', name: 'one' };
const admin: UserInfo = { name: 'admin', groups: [kubernetesMastersGroup] };
const configMaps = '/api/v1/namespaces/default/configmaps';

interface Env extends PlanesTestEnv {
  /** The threads in the order of their start. `fail` ends one as an exception in it would. */
  readonly threads: (Thread & { fail(error: Error): void })[];
}

const environments: Env[] = [];
afterEach(async () => {
  for (const env of environments.splice(0)) await env.close();
});

async function open(): Promise<Env> {
  const threads: Env['threads'] = [];
  const startThread: StartPlaneThread = (data, ports, onExit) => {
    const thread = startOnSameThread(env.clock)(data, ports, onExit);
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
    workers: {
      count: 2,
      stallSeconds: 5,
      startThread,
      sealerKeys: deriveSealerKeys(randomBytes(32)),
      needsAuditedBodies: false,
    },
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

  it('have running workers as soon as there is one, and none before', async () => {
    const env = await open();
    env.planes.startWorkers();
    expect(env.threads).toHaveLength(0);
    await createVirtualCluster(env);
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
});
