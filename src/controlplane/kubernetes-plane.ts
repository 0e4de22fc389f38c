import type { Plane } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { andThen, type MaybePromise, needsAwait } from '../lib/maybe-promise.ts';
import { builtinObjectsDigest } from '../registry/cache/builtin-objects.ts';
import { SliceObjects } from '../registry/cache/slice-objects.ts';
import type { MaintenanceWork } from '../registry/write/maintenance-work.ts';
import type { Entry, Store } from '../store/store.ts';
import { type ControlPlane, openControlPlane } from './control-plane.ts';
import { mutateByParts } from './mutate-by-parts.ts';
import { ensurePlaneCreated } from './plane-creation.ts';
import type { AdmissionAttributes, PartDependencies, PlanePart } from './plane-part.ts';

export interface KubernetesPlaneOptions {
  /** The ID of the plane. It is also the name of the store slice that contains the plane's objects. */
  readonly id: string;
  readonly store: Store;
  /** The stored row that marks the plane as created. Optional; by default, the row is read from the store. */
  readonly creationRow?: Entry;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the parts of the plane. Called once, before any kind is loaded. */
  compose(dependencies: PartDependencies): PlaneComposition;
  /** Called after a write has recorded maintenance work, such as garbage collection, in the store. */
  onMaintenanceWork(work: MaintenanceWork): void;
}

export interface PlaneComposition {
  /** The parts of the plane, in the order in which they are mounted, started, and called to admit a write. */
  readonly parts: readonly PlanePart[];
  readonly authorize: Plane['authorize'];
  /** Hides objects from callers. Optional; by default, a caller that may list a kind sees all of the kind's objects. */
  readonly mayRead?: Plane['mayRead'];
}

/**
 * Opens a Kubernetes control plane from its parts. If the plane does not exist, creates it with the built-in objects of
 * its parts. Resolves after all parts have started. `close` stops them.
 */
export async function openKubernetesPlane(options: KubernetesPlaneOptions): Promise<ControlPlane> {
  const { id, clock, log } = options;
  let opened: ControlPlane | undefined;
  const { parts, authorize, mayRead } = options.compose({
    planeId: id,
    isShared: options.store.isShared,
    clock,
    log,
    plane() {
      if (opened === undefined) throw new Error(`a part used the control plane ${id} before it was open`);
      return opened;
    },
  });
  const builtinLists = parts.flatMap((part) => (part.builtinObjects === undefined ? [] : [part.builtinObjects]));
  // Read the creation row before the objects. Then the objects are read at a revision that is not lower than the
  // revision of the built-in objects, so a watch that resumes from there receives the changes of both.
  const planeCreation = await ensurePlaneCreated({
    store: options.store,
    slice: id,
    clock,
    builtinDigest: builtinObjectsDigest(builtinLists),
    read: options.creationRow,
  });
  const objects = await SliceObjects.open({ store: options.store, slice: id, clock, log });
  const plane = await openControlPlane({
    id,
    store: options.store,
    clock,
    log,
    builtinObjects: { lists: builtinLists, planeCreation },
    objects,
    resources: parts.flatMap((part) => part.resources),
    resourcesOnDemand: parts.flatMap((part) => part.resourcesOnDemand ?? []),
    mount: (stores) => parts.flatMap((part) => part.mount(stores)),
    authorize,
    mayRead: mayRead ?? (() => undefined),
    admit: (write) => admitBy(parts, write),
    isMutating: () => parts.some((part) => part.isMutating?.() === true),
    mutate: (write) => mutateByParts(parts, write),
    completeNew(resource, object) {
      for (const part of parts) part.completeNew?.(resource, object);
    },
    requeuedByUsage: (resource, namespace, old, next) =>
      parts.flatMap((part) => part.requeuedByUsage?.(resource, namespace, old, next) ?? []),
    onMaintenanceWork: options.onMaintenanceWork,
  });
  const stopFunctions: (() => void)[] = [];
  const composed: ControlPlane = {
    ...plane,
    get generation() {
      return plane.generation;
    },
    ...(options.store.isShared
      ? {
          async settled(group?: string) {
            await plane.freshRevision?.();
            await Promise.all(parts.map((part) => part.settled?.(group)));
          },
        }
      : {}),
    close() {
      for (const stop of stopFunctions.splice(0).reverse()) stop();
      plane.close();
    },
  };
  opened = composed;
  try {
    for (const part of parts) {
      const stop = await part.start?.(planeCreation);
      if (stop !== undefined) stopFunctions.push(stop);
    }
  } catch (error) {
    composed.close();
    throw error;
  }
  objects.release();
  return composed;
}

/** Calls `admit` of each part until one throws. Returns a promise only if one of the calls is asynchronous. */
function admitBy(parts: readonly PlanePart[], write: AdmissionAttributes): MaybePromise<void> {
  for (const [index, part] of parts.entries()) {
    const deciding = part.admit?.(write);
    if (needsAwait(deciding)) return andThen(deciding, () => admitBy(parts.slice(index + 1), write));
  }
}
