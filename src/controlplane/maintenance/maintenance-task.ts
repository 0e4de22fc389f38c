import type { GcWork, ObjectRef } from '../../registry/rows/rows.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import { collectGarbage } from './garbage-collector.ts';
import { caughtUp, findKindStore, type PlaneSource, type PlaneStores, withPlane } from './plane-stores.ts';

/** One item of maintenance work in a control plane. It contains only data, so it can be sent to another thread. */
export type MaintenanceTask =
  /** The grace period or the expiry time of an object has passed. */
  | { readonly type: 'deadline'; readonly object: ObjectRef }
  | { readonly type: 'garbage'; readonly work: GcWork }
  | { readonly type: 'reconcile'; readonly object: ObjectRef };

/**
 * Runs a task in its plane. Resolves with `undefined` if the task is complete or the plane no longer exists, and with a
 * number of milliseconds if the task must run again after that time. All writes of the task contain the check `fence`.
 */
export type TaskRunner = (planeId: string, task: MaintenanceTask, fence?: RevisionCheck) => Promise<number | undefined>;

/** Returns a task runner for the planes of this thread, which `source` loads. */
export function tasksInPlanes(store: Store, source: PlaneSource): TaskRunner {
  return (planeId, task, fence) => withPlane(source, planeId, (plane) => runTask(store, withFence(plane, fence), task));
}

function withFence(plane: PlaneStores, fence: RevisionCheck | undefined): PlaneStores {
  return fence === undefined ? plane : { id: plane.id, stores: () => plane.stores(), fence };
}

async function runTask(store: Store, plane: PlaneStores, task: MaintenanceTask): Promise<number | undefined> {
  // If another process has written the row of the task, the row may be newer than the caches of the plane.
  await caughtUp(store, plane);
  if (task.type === 'garbage') {
    await collectGarbage(store, plane, task.work);
    return undefined;
  }
  const { resource, namespace, name } = task.object;
  const kind = findKindStore(plane, resource);
  if (task.type === 'reconcile') return kind?.resource.reconcile?.(namespace, name, plane.fence);
  // The kind store deletes the object, unless the object has a later deadline now.
  await kind?.handleDeadline(namespace, name, plane.fence);
  return undefined;
}
