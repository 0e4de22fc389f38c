import type { Plane } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { andThen, type MaybePromise, mustAwait } from '../lib/maybe-promise.ts';
import { builtinObjectsDigest } from '../registry/cache/builtin-objects.ts';
import { SliceObjects } from '../registry/cache/slice-objects.ts';
import type { MaintenanceWork } from '../registry/write/maintenance-work.ts';
import type { Entry, Store } from '../store/store.ts';
import { type ControlPlane, openControlPlane } from './control-plane.ts';
import { ensurePlaneCreated } from './plane-creation.ts';
import type { AdmissionAttributes, PartDependencies, PlanePart } from './plane-part.ts';

export interface KubernetesPlaneOptions {
  /** The slice of the store that belongs to this plane. */
  readonly id: string;
  readonly store: Store;
  /** The creation row of the plane, if the caller has just read it. */
  readonly creationRow?: Entry;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once, before anything is open. */
  compose(dependencies: PartDependencies): PlaneComposition;
  /** Called when a write has recorded maintenance work. */
  onMaintenanceWork(left: MaintenanceWork): void;
}

export interface PlaneComposition {
  /** The parts, in the order in which they are mounted, started, and called to admit a write. */
  readonly parts: readonly PlanePart[];
  readonly authorize: Plane['authorize'];
  /** Optional; by default a caller that may list a kind sees all of its objects, as in Kubernetes. */
  readonly mayRead?: Plane['mayRead'];
}

/**
 * Opens a Kubernetes control plane that is composed of parts. The first open creates the plane, with the built-in
 * objects of its parts. Resolves when all parts have started; `close` stops them.
 */
export async function openKubernetesPlane(options: KubernetesPlaneOptions): Promise<ControlPlane> {
  const { id, clock, log } = options;
  let opened: ControlPlane | undefined;
  const { parts, authorize, mayRead } = options.compose({
    planeId: id,
    clock,
    log,
    plane() {
      if (opened === undefined) throw new Error(`the control plane ${id} is not open yet`);
      return opened;
    },
  });
  const builtinLists = parts.flatMap((part) => (part.builtinObjects === undefined ? [] : [part.builtinObjects]));
  // This order matters: objects read after the creation row are at least as new as the built-in objects, so a watch
  // that resumes receives both.
  const planeCreation = await ensurePlaneCreated({
    store: options.store,
    slice: id,
    clock,
    builtinDigest: builtinObjectsDigest(builtinLists),
    read: options.creationRow,
  });
  const objects = await SliceObjects.open(options.store, id);
  const plane = await openControlPlane({
    id,
    store: options.store,
    clock,
    log,
    builtinObjects: { lists: builtinLists, planeCreation },
    objects,
    resources: parts.flatMap((part) => part.resources),
    mount: (stores) => parts.flatMap((part) => part.mount(stores)),
    authorize,
    mayRead: mayRead ?? (() => undefined),
    admit: (write) => admitBy(parts, write),
    onMaintenanceWork: options.onMaintenanceWork,
  });
  const stopFunctions: (() => void)[] = [];
  const composed: ControlPlane = {
    ...plane,
    get generation() {
      return plane.generation;
    },
    close() {
      for (const stop of stopFunctions.splice(0).reverse()) stop();
      plane.close();
    },
  };
  opened = composed;
  try {
    for (const part of parts) {
      const stop = await part.start?.();
      if (stop !== undefined) stopFunctions.push(stop);
    }
  } catch (error) {
    composed.close();
    throw error;
  }
  objects.release();
  return composed;
}

/** Calls the parts one after the other until one refuses. Most return synchronously, and then no promise is created. */
function admitBy(parts: readonly PlanePart[], write: AdmissionAttributes): MaybePromise<void> {
  for (const [index, part] of parts.entries()) {
    const deciding = part.admit?.(write);
    if (mustAwait(deciding)) return andThen(deciding, () => admitBy(parts.slice(index + 1), write));
  }
}
