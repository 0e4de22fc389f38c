import type { KubeObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AdmissionAttributes } from '../registry/admission-attributes.ts';
import type { PlaneCallbacks } from '../registry/kind-runtime.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { StoredResource } from '../registry/resource.ts';
import type { ControlPlane } from './control-plane.ts';
import type { ObjectMutation } from './object-mutation.ts';

/** The values that a Kubernetes control plane passes to the constructors of its parts. */
export interface PartDependencies {
  /** The ID of the plane. It is also the name of the plane's slice of the store. */
  readonly planeId: string;
  /**
   * True if other processes may write to the store. Several processes may then have loaded the plane. Work that must
   * happen only once, such as the work of controllers, is then done by maintenance tasks, which run in only one
   * process.
   */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the plane. Throws if the plane is not open yet, because parts are created before their plane is open. */
  plane(): ControlPlane;
}

export type { AdmissionAttributes } from '../registry/admission-attributes.ts';

/** The state of the plane when its parts start. */
export interface PartStart {
  /**
   * True if a server of a newer release, with other built-in objects, uses the plane too. The part must then not
   * restore the built-in objects of this release.
   */
  readonly hasNewerBuiltinObjects: boolean;
}

/** One part of a Kubernetes control plane, for example RBAC: a set of kinds and their behavior. */
export interface PlanePart {
  readonly resources: readonly StoredResource[];
  /**
   * Kinds that have no objects in most planes. The store of such a kind is opened when it is first used, so an unused
   * kind takes little memory. The rows of these kinds must not be sealed. Optional; defaults to none.
   */
  readonly resourcesOnDemand?: readonly StoredResource[];
  /** Returns the resources that the part serves: its stored kinds, and kinds that are never stored. */
  mount(stores: KindStores): readonly MountedResource[];
  /**
   * Objects that every plane has from the start, such as the default cluster roles. They have no stored row until a
   * write changes or deletes them. All planes of the process share this list, and the server adds the metadata of each
   * plane (uid, creationTimestamp, managedFields).
   */
  readonly builtinObjects?: readonly KubeObject[];
  /**
   * Completes a new object of any kind, in place: sets the members whose values depend on other objects of the plane
   * (`PlaneCallbacks.completeNew`). Throws StatusError to refuse the object. Must be fast.
   */
  completeNew?(resource: StoredResource, object: KubeObject): void;
  /** False if `mutate` would do nothing now. Absent if the part never mutates. Must be fast. */
  isMutating?(): boolean;
  /**
   * Mutating admission (`PlaneCallbacks.mutate`): changes `mutation.object`. If a later part then changes the object,
   * this function is called again for the same mutation (`ObjectMutation.isReinvocation`).
   */
  mutate?(mutation: ObjectMutation): Promise<void>;
  /**
   * Called for each write to any kind of the plane, except writes of the server itself. Throws a StatusError to refuse
   * the write.
   */
  admit?(write: AdmissionAttributes): void | Promise<void>;
  /**
   * Returns the objects to reconcile after a write of an object of this kind in the namespace, for example a quota that
   * counts the written object (`PlaneCallbacks.requeuedByUsage`). Called for each write if several processes may have
   * loaded the plane. Must be fast.
   */
  readonly requeuedByUsage?: NonNullable<PlaneCallbacks['requeuedByUsage']>;
  /**
   * Resolves when the plane serves all kinds that the objects of this part define in the API group. Without `group`,
   * waits for the kinds of all groups. Absent if the part defines no kinds.
   */
  settled?(group?: string): Promise<void>;
  /** Called after the plane is open and before it serves requests. Returns a function that stops the part. */
  start?(state: PartStart): Promise<() => void>;
}
