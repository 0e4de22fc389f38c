import { describe, expect, it } from 'vitest';
import { discoveryDocuments } from '../http/discovery/discovery-documents.ts';
import { SharedDocuments } from '../http/documents/shared-documents.ts';
import { openApiDocuments } from '../http/openapi/openapi-documents.ts';
import { mountStoredKind } from '../registry/verbs/stored-verbs.ts';
import type { WatchStream } from '../registry/verbs.ts';
import { describeEvent, rejectionStatus, takeEvents, testWatchOptions } from '../registry/widgets.fixture.ts';
import { addableTestKind, openPlaneTestEnv, testClientContext, testKind, testWriteOptions } from './plane.fixture.ts';

const widgets = testKind('widgets', 'Widget');
const racks = testKind('racks', 'Rack', { namespaced: false });
const key = 'widgets.test.example';

async function isOver(stream: WatchStream): Promise<boolean> {
  return (await takeEvents(stream, 1)).length === 0;
}

describe('kinds that are added to and removed from an open plane', () => {
  it('are served, listed and counted in the generation, all kinds of one call at once', async () => {
    const { plane } = await openPlaneTestEnv();
    const before = plane.generation;
    await plane.add([addableTestKind(widgets), addableTestKind(racks)]);
    expect(plane.generation).toBe(before + 1);
    expect(plane.find('test.example', 'v1', 'widgets')?.kind.kind).toBe('Widget');
    expect(plane.resources().map(({ kind }) => kind.plural)).toEqual(['namespaces', 'racks', 'widgets']);
    await plane.remove([key, 'nothing.test.example', 'namespaces']);
    expect(plane.generation).toBe(before + 2);
    expect(plane.find('test.example', 'v1', 'widgets')).toBeUndefined();
    expect(plane.kinds.has(key)).toBe(false);
    expect(plane.find('', 'v1', 'namespaces')).toBeDefined();
    await plane.remove([key]);
    expect(plane.generation).toBe(before + 2);
  });

  it('have their objects again after they are removed and added again', async () => {
    const { plane, create, peek } = await openPlaneTestEnv();
    await plane.add([addableTestKind(widgets)]);
    const made = await create(key, 'it');
    await plane.remove([key]);
    await plane.add([addableTestKind(widgets)]);
    expect(peek(key, 'it')?.metadata.uid).toBe(made.metadata.uid);
  });

  it('end their watches and refuse writes when they are removed', async () => {
    const { plane, kind, create } = await openPlaneTestEnv();
    await plane.add([addableTestKind(widgets)]);
    const store = kind(key);
    const stream = await store.verbs.watch(testClientContext('default'), testWatchOptions());
    await create(key, 'it');
    expect((await takeEvents(stream, 1)).map(describeEvent)[0]).toMatch(/^ADDED it/);
    await plane.remove([key]);
    expect(await isOver(stream)).toBe(true);
    const object = { apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name: 'late' } };
    expect(
      await rejectionStatus(store.verbs.create(testClientContext('default'), object, testWriteOptions)),
    ).toMatchObject({ code: 503 });
  });

  it('keep their objects and watches when they are redefined', async () => {
    const { plane, kind, create } = await openPlaneTestEnv();
    await plane.add([addableTestKind(widgets)]);
    const made = await create(key, 'it', { spec: { size: 1 } });
    const stream = await kind(key).verbs.watch(
      testClientContext('default'),
      testWatchOptions({ resourceVersion: made.metadata.resourceVersion ?? '' }),
    );
    const stricter = testKind('widgets', 'Widget', {
      hasStatus: true,
      schema: {
        type: 'object',
        properties: { spec: { type: 'object', required: ['size'] }, status: { type: 'object' } },
      },
    });
    await plane.add([addableTestKind(stricter)]);
    expect(kind(key).peek('default', 'it')?.object.spec).toEqual({ size: 1 });
    expect(plane.find('test.example', 'v1', 'widgets')?.subresources.status).toBeDefined();
    expect((await rejectionStatus(create(key, 'other', { spec: {} }))).message).toContain('spec.size: Required value');
    await create(key, 'third', { spec: { size: 3 } });
    expect((await takeEvents(stream, 1)).map(describeEvent)[0]).toMatch(/^ADDED third/);
  });

  it('are not rebuilt when the same definition is added again', async () => {
    const { plane, kind, create } = await openPlaneTestEnv();
    const formed = testKind('widgets', 'Widget', {
      form: { storedVersion: 'test.example/v1', isConverted: () => true, convert: (object) => object },
    });
    await plane.add([addableTestKind(formed)]);
    await create(key, 'it');
    const before = kind(key).peek('default', 'it');
    await plane.add([addableTestKind(formed)]);
    expect(kind(key).peek('default', 'it')).toBe(before);
    await plane.add([addableTestKind({ ...formed })]);
    expect(kind(key).peek('default', 'it')).not.toBe(before);
  });

  it('end their watches when one of their versions is no longer served', async () => {
    const { plane, kind } = await openPlaneTestEnv();
    const both = {
      resource: widgets,
      mount: (store: Parameters<typeof mountStoredKind>[0]) => [
        mountStoredKind(store),
        { ...mountStoredKind(store), kind: { ...widgets, version: 'v2' } },
      ],
    };
    await plane.add([both]);
    expect(plane.find('test.example', 'v2', 'widgets')).toBeDefined();
    const stream = await kind(key).verbs.watch(testClientContext('default'), testWatchOptions());
    await plane.add([addableTestKind(widgets)]);
    expect(plane.find('test.example', 'v2', 'widgets')).toBeUndefined();
    expect(await isOver(stream)).toBe(true);
    const next = await kind(key).verbs.watch(
      testClientContext('default'),
      testWatchOptions({ sendInitialEvents: undefined }),
    );
    expect(next.isEnded).toBe(false);
    next.close();
  });

  it('cannot replace a kind that the plane was opened with', async () => {
    const { plane } = await openPlaneTestEnv();
    await expect(plane.add([addableTestKind(testKind('namespaces', 'Other', { group: '' }))])).rejects.toThrow(
      'namespaces',
    );
    expect(plane.find('', 'v1', 'namespaces')?.kind.kind).toBe('Namespace');
  });

  it('appear in discovery and OpenAPI documents, and disappear when they are removed', async () => {
    const { plane } = await openPlaneTestEnv();
    const shared = new SharedDocuments();
    const discovery = discoveryDocuments(plane, shared);
    const openApi = openApiDocuments(plane, { serverVersion: 'v1', shared });
    const paths = () => [...discovery.paths(), ...openApi.paths()].join(' ');
    expect(paths()).not.toContain('test.example');
    await plane.add([addableTestKind(widgets)]);
    expect(discovery.paths()).toContain('/apis/test.example/v1');
    await plane.remove([key]);
    expect(paths()).not.toContain('test.example');
  });

  it('are closed with the plane, also those that are still being added', async () => {
    const { plane } = await openPlaneTestEnv();
    const adding = plane.add([addableTestKind(widgets)]);
    plane.close();
    await adding;
    expect(plane.find('test.example', 'v1', 'widgets')).toBeUndefined();
  });
});

describe('garbage collection of added and removed kinds', () => {
  const owned = (
    kind: string,
    { metadata }: { metadata: { name?: string; uid?: string } },
    group = 'test.example/v1',
  ) => ({
    metadata: {
      ownerReferences: [{ apiVersion: group, kind, name: metadata.name ?? '', uid: metadata.uid ?? '' }],
    },
  });

  it('deletes dependents of added kinds, and those whose owners are of added kinds (GC-01)', async () => {
    const env = await openPlaneTestEnv({
      parts: [{ resources: [testKind('things', 'Thing')], mount: () => [] }],
    });
    await env.plane.add([addableTestKind(widgets)]);
    const widget = await env.create(key, 'owner');
    const thing = await env.create('things.test.example', 'middle', owned('Widget', widget));
    await env.create(key, 'leaf', owned('Thing', thing));
    await env.remove(key, 'owner');
    expect(env.peek('things.test.example', 'middle')).toBeUndefined();
    expect(env.peek(key, 'leaf')).toBeUndefined();
  });

  it('deletes the dependents of an object that was deleted just before its kind was removed (GC-01)', async () => {
    const env = await openPlaneTestEnv({ withoutMaintenance: true });
    await env.plane.add([addableTestKind(widgets), addableTestKind(racks)]);
    const rack = await env.create('racks.test.example', 'owner');
    await env.create(key, 'dependent', owned('Rack', rack));
    await env.remove('racks.test.example', 'owner');
    await env.plane.remove(['racks.test.example']);
    await env.plane.remove([key]);
    const { store, clock } = env;
    const next = await openPlaneTestEnv({
      store,
      clock,
      parts: [{ resources: [widgets], mount: () => [] }],
    });
    await next.maintenance.idle();
    expect(next.peek(key, 'dependent')).toBeUndefined();
  });
});
