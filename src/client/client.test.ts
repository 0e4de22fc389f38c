import { readFile } from 'node:fs/promises';
import { Agent, fetch as fetchWith } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { apiVersionOf } from '../api/meta.ts';
import { projectNamespace } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { isReconciled } from '../server/instances.fixture.ts';
import { ServerTestEnv } from '../server/server.fixture.ts';
import { type Fetch, httpClient } from './http-client.ts';
import { startInformer } from './informer.ts';
import type { ResourceClient } from './resource-client.ts';

const namespace = projectNamespace('default');
let bench: ServerTestEnv | undefined;
let agent: Agent | undefined;
const stopping: AbortController[] = [];
afterEach(async () => {
  for (const controller of stopping.splice(0)) controller.abort();
  await agent?.destroy();
  await bench?.close();
});

async function setUp(): Promise<ResourceClient> {
  bench = await ServerTestEnv.open();
  const server = await bench.start();
  const dispatcher = new Agent({ connect: { ca: await readFile(bench.file('ca.crt'), 'utf8') } });
  agent = dispatcher;
  const key = await bench.adminKey();
  const fetch: Fetch = (url, init) => fetchWith(url, { ...init, dispatcher }) as ReturnType<Fetch>;
  const client = httpClient({ server: `${server.url}/kubernetes/management`, fetch, token: () => key });
  return client.resource(virtualClusterInstanceKind);
}

function instance(name: string): KubeObject {
  return {
    apiVersion: apiVersionOf(virtualClusterInstanceKind),
    kind: virtualClusterInstanceKind.kind,
    metadata: { name, namespace },
    spec: { displayName: name },
  } as KubeObject;
}

/** Returns the instance after the server has no more status to write. */
async function settled(instances: ResourceClient, name: string): Promise<KubeObject> {
  for await (const event of instances.watch({ namespace, fieldSelector: `metadata.name=${name}` })) {
    if (event.type !== 'BOOKMARK' && isReconciled(event.object)) return event.object;
  }
  throw new Error('the watch ended before it was settled');
}

/** Waits for the deletion. The object remains until a controller has cleaned up and removed its finalizer. */
async function untilGone(instances: ResourceClient, name: string): Promise<void> {
  const only = { namespace, fieldSelector: `metadata.name=${name}` };
  const { items, resourceVersion } = await instances.list(only);
  if (items.length === 0) return;
  for await (const { type } of instances.watch({ ...only, resourceVersion })) if (type === 'DELETED') return;
}

describe('the client over HTTP', () => {
  it('creates, reads, lists, patches, updates and deletes objects', async () => {
    const instances = await setUp();
    const made = await instances.create(instance('one'));
    // The server may have written the status; the spec is still as created.
    expect(await instances.get({ namespace, name: 'one' })).toMatchObject({ spec: made.spec as object });
    const patched = await instances.patch({ namespace, name: 'one' }, { spec: { displayName: 'patched' } });
    expect(patched).toMatchObject({ spec: { displayName: 'patched' } });
    const stale = { ...made, spec: { displayName: 'stale' } } as KubeObject;
    await expect(instances.update(stale)).rejects.toMatchObject({ code: 409 });
    const read = await settled(instances, 'one');
    const fresh = { ...read, spec: { ...(patched.spec as object), displayName: 'updated' } } as KubeObject;
    expect(await instances.update(fresh)).toMatchObject({ spec: { displayName: 'updated' } });
    expect((await instances.list()).items.map((object) => object.metadata.name)).toEqual(['one']);
    expect((await instances.list({ namespace, labelSelector: 'a=b' })).items).toEqual([]);
    await instances.delete({ namespace, name: 'one' });
    await untilGone(instances, 'one');
    const gone = await instances.get({ namespace, name: 'one' }).catch((error: unknown) => error);
    expect(gone).toBeInstanceOf(StatusError);
    expect((gone as StatusError).status).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('cannot change a status, which only the server’s own controllers may do', async () => {
    const instances = await setUp();
    const { metadata, ...made } = await instances.create(instance('one'));
    const { resourceVersion: _, ...unversioned } = metadata;
    const forged = { ...made, metadata: unversioned, status: { phase: 'Forged' } };
    await instances.patchStatus({ namespace, name: 'one' }, { status: { phase: 'Forged' } });
    await expect(instances.updateStatus(forged as typeof made & { metadata: typeof metadata })).rejects.toThrow();
    expect((await instances.get({ namespace, name: 'one' })).status).not.toMatchObject({ phase: 'Forged' });
  });

  it('throws the error that ends a watch, here an invalid resource version', async () => {
    const instances = await setUp();
    const watching = instances.watch({ namespace, resourceVersion: 'x' })[Symbol.asyncIterator]();
    await expect(watching.next()).rejects.toMatchObject({ code: 400 });
  });
});

describe('an informer', () => {
  it('caches the existing objects and applies every change', async () => {
    const instances = await setUp();
    await instances.create(instance('before'));
    const stop = new AbortController();
    stopping.push(stop);
    const waiting: { holds: () => boolean; resolve: () => void }[] = [];
    const informer = startInformer({
      resource: instances,
      request: { namespace },
      clock: systemClock,
      log: silentLog,
      signal: stop.signal,
      onChange() {
        for (const each of waiting) if (each.holds()) each.resolve();
      },
    });
    const until = (holds: () => boolean) =>
      holds() ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ holds, resolve }));
    await informer.synced;
    expect([...informer.all()].map((object) => object.metadata.name)).toEqual(['before']);
    await instances.create(instance('after'));
    await until(() => informer.get(namespace, 'after') !== undefined);
    await instances.patch({ namespace, name: 'after' }, { metadata: { labels: { a: 'b' } } });
    await until(() => informer.get(namespace, 'after')?.metadata.labels?.a === 'b');
    await instances.delete({ namespace, name: 'before' });
    await until(() => informer.get(namespace, 'before') === undefined);
    stop.abort();
    await informer.done;
  });
});
