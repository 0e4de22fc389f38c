import type { KubeObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AdmissionAttributes } from '../registry/admission-attributes.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { StoredResource } from '../registry/resource.ts';
import type { ControlPlane } from './control-plane.ts';

/** The values that a Kubernetes control plane passes to the constructors of its parts. */
export interface PartDependencies {
  /** The ID of the plane. It is also the name of the plane's slice of the store. */
  readonly planeId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the plane. Throws if the plane is not open yet, because its parts are created first. */
  plane(): ControlPlane;
}

export type { AdmissionAttributes } from '../registry/admission-attributes.ts';

/** One part of a Kubernetes control plane, for example RBAC: a set of kinds and their behavior. */
export interface PlanePart {
  readonly resources: readonly StoredResource[];
  /** Returns the resources that the part serves: its stored kinds, and kinds that are never stored. */
  mount(stores: KindStores): readonly MountedResource[];
  /**
   * Objects that every plane has from the start, such as the default cluster roles. They have no stored row until a
   * write changes or deletes them. All planes of the process share this list, and the server adds the metadata of each
   * plane (uid, creationTimestamp, managedFields).
   */
  readonly builtinObjects?: readonly KubeObject[];
  /**
   * Called for each write to any kind of the plane, except writes of the server itself. Throws a StatusError to refuse
   * the write.
   */
  admit?(write: AdmissionAttributes): void | Promise<void>;
  /** Called after the plane is open and before it serves requests. Returns a function that stops the part. */
  start?(): Promise<() => void>;
}
