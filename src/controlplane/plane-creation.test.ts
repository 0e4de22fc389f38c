import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/meta.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { resourceKey } from '../registry/rows/rows.ts';
import { mountStoredKind } from '../registry/verbs/stored-verbs.ts';
import {
  describeEvent,
  newWidget,
  serverContext,
  takeEvents,
  testDeleteOptions,
  testWatchOptions,
  widgetResource,
} from '../registry/widgets.fixture.ts';
import { openMemoryStore } from '../store/memory.ts';
import { gatedStore } from '../store/replicas.fixture.ts';
import type { Store } from '../store/store.ts';
import { openKubernetesPlane } from './kubernetes-plane.ts';
import { ensurePlaneCreated, PlaneRemovedError, planeCreationKey, readPlaneCreationRow } from './plane-creation.ts';

async function open(store: Store, clock: ManualClock, builtinObjects: readonly KubeObject[]) {
  const plane = await openKubernetesPlane({
    id: 'plane',
    store,
    clock,
    log: silentLog,
    compose: () => ({
      parts: [
        {
          resources: [widgetResource],
          mount: (stores) => [...stores.values()].map((each) => mountStoredKind(each)),
          builtinObjects: builtinObjects,
        },
      ],
      authorize: () => ({ allowed: true, reason: '' }),
    }),
    onMaintenanceWork: () => {},
  });
  const kind = plane.kinds.get(resourceKey(widgetResource));
  if (kind === undefined) throw new Error('no widgets');
  return { plane, kind };
}

const builtinsIn = (namespace: string, color: string, ...names: string[]) =>
  names.map((name) => newWidget(name, { metadata: { namespace }, spec: { color } }));

describe('the creation row of a plane', () => {
  it('records one creation time, also if the plane is opened repeatedly and concurrently', async () => {
    const clock = new ManualClock();
    const store = openMemoryStore({ clock });
    expect(await readPlaneCreationRow(store, 'plane')).toBeUndefined();
    const [first, second] = await Promise.all([
      ensurePlaneCreated({ store, slice: 'plane', clock, builtinDigest: 'x' }),
      ensurePlaneCreated({ store, slice: 'plane', clock, builtinDigest: 'x' }),
    ]);
    clock.advance(60_000);
    expect(second).toEqual(first);
    expect(await ensurePlaneCreated({ store, slice: 'plane', clock, builtinDigest: 'x' })).toEqual(first);
    expect(await readPlaneCreationRow(store, 'plane')).toMatchObject({ revision: first?.revision });
  });

  it('is not created again if the plane was removed while it was opened', async () => {
    const clock = new ManualClock();
    const store = openMemoryStore({ clock });
    await ensurePlaneCreated({ store, slice: 'plane', clock, builtinDigest: 'x' });
    const read = await readPlaneCreationRow(store, 'plane');
    await store.transact({ writes: [{ key: planeCreationKey('plane'), value: undefined }] });
    const opening = ensurePlaneCreated({ store, slice: 'plane', clock, builtinDigest: 'y', read });
    await expect(opening).rejects.toBeInstanceOf(PlaneRemovedError);
    expect(await readPlaneCreationRow(store, 'plane')).toBeUndefined();
  });

  it('is not replaced by an older release if several servers share the store', async () => {
    const clock = new ManualClock();
    const { store } = gatedStore(openMemoryStore({ clock }));
    const release = (builtinVersion: number, builtinDigest: string) =>
      ensurePlaneCreated({ store, slice: 'plane', clock, builtinDigest, builtinVersion });
    const first = await release(1, 'x');
    const newer = await release(2, 'a');
    expect(newer.revision).toBeGreaterThan(first.revision);
    expect(newer.hasNewerBuiltinObjects).toBe(false);
    expect(await release(1, 'x')).toEqual({ ...newer, hasNewerBuiltinObjects: true });
    expect(await release(2, 'a')).toEqual(newer);
    // Two releases can have different built-in objects with the same version. Their servers do not keep replacing each
    // other's row either.
    const other = await release(2, 'b');
    expect(other.revision).toBeGreaterThan(newer.revision);
    expect(await release(2, 'a')).toEqual({ ...other, hasNewerBuiltinObjects: true });
    expect(await release(2, 'b')).toEqual(other);
  });

  it('is replaced by an older release if no other server uses the store', async () => {
    const clock = new ManualClock();
    const store = openMemoryStore({ clock });
    const release = (builtinVersion: number, builtinDigest: string) =>
      ensurePlaneCreated({ store, slice: 'plane', clock, builtinDigest, builtinVersion });
    const newer = await release(2, 'y');
    const older = await release(1, 'x');
    expect(older.revision).toBeGreaterThan(newer.revision);
    expect(older.hasNewerBuiltinObjects).toBe(false);
  });

  it('is rewritten by a release with other built-in objects, and resumed watches receive those', async () => {
    const clock = new ManualClock();
    const store = openMemoryStore({ clock });
    const before = await open(store, clock, builtinsIn('a', 'grey', 'kept', 'changed', 'dropped', 'deleted'));
    await before.kind.verbs.delete(serverContext(), 'deleted', testDeleteOptions());
    const { resourceVersion = '' } = before.kind.peek('a', 'kept')?.object.metadata ?? {};
    before.plane.close();
    clock.advance(60_000);

    const { kind } = await open(store, clock, builtinsIn('a', 'green', 'kept', 'changed', 'deleted', 'new'));
    const { metadata, spec } = kind.peek('a', 'changed')?.object ?? newWidget('');
    expect(spec).toEqual({ color: 'green' });
    expect(metadata.creationTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
    expect(kind.peekAll().map(({ object }) => object.metadata.name)).toEqual(['changed', 'kept', 'new']);
    const watch = await kind.verbs.watch(serverContext(), testWatchOptions({ resourceVersion }));
    const events = await takeEvents(watch, 4).then((seen) => seen.map(describeEvent));
    expect(events).toEqual(['DELETED deleted@3', 'ADDED kept@4', 'ADDED changed@4', 'ADDED new@4']);
  });
});
