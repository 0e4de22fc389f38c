import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { namespaceKind } from '../api/core/namespace.ts';
import { kubernetesMastersGroup } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { Host } from '../hosts/host.ts';
import { ManualClock } from '../lib/clock.ts';
import { deriveSealerKeys } from '../seal/open-sealer.ts';
import type { RevisionCheck, Store } from '../store/store.ts';
import type { BuiltInClusterPlanesOptions } from './open-planes.ts';
import { newTestObject, openPlanesTestEnv, type PlanesTestEnv } from './planes-test-env.fixture.ts';
import { startOnSameThread } from './workers/same-thread.fixture.ts';

const location = { namespace: 'default', name: 'one' };
const fenceKey = { slice: 'replicas', segments: ['members', 'a'] };
const takenOver = { code: 503, message: 'another server has taken over this work; nothing was written' };

const environments: PlanesTestEnv[] = [];
afterEach(async () => {
  for (const env of environments.splice(0)) await env.close();
});

async function open(
  change: Pick<Partial<BuiltInClusterPlanesOptions>, 'workers'>,
): Promise<{ env: PlanesTestEnv; fence: RevisionCheck }> {
  const env = await openPlanesTestEnv(change);
  environments.push(env);
  await env.hostClient.resource(virtualClusterKind).create(newTestObject(virtualClusterKind, location));
  const [revision] = await env.store.transact({ writes: [{ key: fenceKey, value: '' }] });
  return { env, fence: { key: fenceKey, revision } };
}

async function takeOver(store: Store): Promise<void> {
  await store.transact({ writes: [{ key: fenceKey, value: undefined }] });
}

/** Sends a request to the virtual cluster as an administrator. Returns the status code. */
async function send(host: Host, method: string, path: string, body?: object): Promise<number> {
  async function* bytes() {
    yield Buffer.from(JSON.stringify(body));
  }
  const response = await host.clusterApi(location).send({
    method,
    path,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: bytes() }),
    as: { name: 'admin', groups: [kubernetesMastersGroup] },
    signal: new AbortController().signal,
  });
  return response.status;
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof StatusError ? error.status : error;
}

const clock = new ManualClock();
const workers = {
  count: 1,
  stallSeconds: 5,
  startThread: startOnSameThread(clock),
  sealerKeys: deriveSealerKeys(randomBytes(32)),
};
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

describe.each([
  ['on this thread', {}],
  ['on a worker thread', { workers }],
])('background work in a virtual cluster %s', (_where, change) => {
  it('requests of controllers write nothing after another server has taken over', async () => {
    const { env, fence } = await open(change);
    const host = env.planes.fencedHost(fence);
    expect(await send(host, 'POST', configMaps, configMap('first'))).toBe(201);
    await takeOver(env.store);
    expect(await send(host, 'POST', configMaps, configMap('second'))).toBe(503);
    expect(await send(host, 'DELETE', `${configMaps}/first`)).toBe(503);
    expect(await send(env.planes.host, 'GET', `${configMaps}/first`)).toBe(200);
    expect(await send(env.planes.host, 'GET', `${configMaps}/second`)).toBe(404);
    // Requests of clients do not contain the fence, so they still succeed.
    expect(await send(env.planes.host, 'POST', configMaps, configMap('third'))).toBe(201);
  });

  it('maintenance tasks write nothing after another server has taken over', async () => {
    const { env, fence } = await open(change);
    await env.maintenance.stop();
    const { planes, store } = env;
    const planeId = planes.builtIn.virtualPlanes.planeIdAt(location) ?? '';
    expect(await send(planes.host, 'POST', '/api/v1/namespaces', { metadata: { name: 'team' } })).toBe(201);
    expect(await send(planes.host, 'DELETE', '/api/v1/namespaces/team')).toBe(200);
    const task = { type: 'reconcile', object: { resource: 'namespaces', namespace: '', name: 'team' } } as const;
    await takeOver(store);
    expect(await errorOf(planes.runTask(planeId, task, fence))).toMatchObject(takenOver);
    expect(await send(planes.host, 'GET', '/api/v1/namespaces/team')).toBe(200);
    const [revision] = await store.transact({ writes: [{ key: fenceKey, value: '' }] });
    const valid: RevisionCheck = { key: fenceKey, revision };
    // The last pass failed only a moment ago, so the next pass is delayed.
    for (let again = await planes.runTask(planeId, task, valid); again !== undefined; ) {
      for (const each of [clock, env.clock]) each.advance(again);
      again = await planes.runTask(planeId, task, valid);
    }
    expect(await send(planes.host, 'GET', '/api/v1/namespaces/team')).toBe(404);
  });
});

it('the fenced host of the built-in cluster writes nothing after another server has taken over', async () => {
  const { env, fence } = await open({});
  const host = env.planes.fencedHost(fence);
  await host.sleep(location);
  await takeOver(env.store);
  expect(await errorOf(host.wake(location))).toMatchObject(takenOver);
  expect(await errorOf(host.remove(location, { owner: '' }))).toMatchObject(takenOver);
  const request = { location: { namespace: 'new', name: 'new' }, owner: 'someone' };
  expect(await errorOf(host.install(request))).toMatchObject(takenOver);
  expect(await env.planes.host.observe(location)).toMatchObject({ phase: 'Sleeping' });
  const { items } = await env.hostClient.resource(namespaceKind).list();
  expect(items.map(({ metadata }) => metadata.name)).not.toContain('new');
});
