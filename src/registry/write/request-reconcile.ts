import type { ObjectKey } from '../cache/object-index.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { reconcileKey, resourceKey } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';
import type { MaintenanceWork } from './maintenance-work.ts';

const work: MaintenanceWork = { deadline: undefined, garbage: false, reconcile: true };

/** Records that an object needs a reconcile, and announces it to the process that maintains the plane. */
export async function requestReconcile(kind: KindRuntime, { namespace, name }: ObjectKey): Promise<void> {
  const { store, slice, resource, planeCallbacks } = kind;
  const row = reconcileKey(slice, { resource: resourceKey(resource), namespace, name });
  const { bell } = planeCallbacks;
  const announcement = bell === undefined ? [] : [{ key: bell, value: JSON.stringify(work) }];
  await withStatusErrors(store.transact({ writes: [{ key: row, value: '', unlogged: true }, ...announcement] }));
  kind.onMaintenanceWork(work);
}
