import type { KubeObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AdmissionAttributes } from '../registry/admission-attributes.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { StoredResource } from '../registry/resource.ts';
import type { ControlPlane } from './control-plane.ts';

/** The dependencies that a Kubernetes control plane passes to its parts. */
export interface PartDependencies {
  /** The plane's slice of the store. */
  readonly planeId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The plane itself. Available once it is open: parts are created before it. */
  plane(): ControlPlane;
}

export type { AdmissionAttributes } from '../registry/admission-attributes.ts';

/** One part of a Kubernetes control plane (core kinds, RBAC, custom resources, policies): kinds and their behavior. */
export interface PlanePart {
  readonly resources: readonly StoredResource[];
  /** Returns the served resources of these kinds, and kinds without storage. */
  mount(stores: KindStores): readonly MountedResource[];
  /**
   * Objects that every plane has from the start (default cluster roles). They are identical in all planes and have no
   * row in the store until a write changes or deletes one. All planes share this list: it is created once per process,
   * not by the part. The server adds its metadata (uid, creationTimestamp, managedFields).
   */
  readonly builtinObjects?: readonly KubeObject[];
  /**
   * Called for each write of each kind of the plane, except the server's own. Throws StatusError to refuse the write.
   */
  admit?(write: AdmissionAttributes): void | Promise<void>;
  /** Called when the plane is open and before it serves. Returns a function that stops what it started. */
  start?(): Promise<() => void>;
}
