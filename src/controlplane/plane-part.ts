import type { KubeObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AdmittedWrite } from '../registry/admission.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { StoredResource } from '../registry/resource.ts';
import type { ControlPlane } from './control-plane.ts';

/** What a plane of the Kubernetes kind gives to the parts that it is made of. */
export interface PartDependencies {
  /** The plane's slice of the store. */
  readonly planeId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The plane itself, once it is open: parts are made before it. */
  plane(): ControlPlane;
}

export type { AdmittedWrite } from '../registry/admission.ts';

/** One part of a plane of the Kubernetes kind (core kinds, RBAC, custom resources, policies): kinds and what they do. */
export interface PlanePart {
  readonly resources: readonly StoredResource[];
  /** What is served of them, and kinds that only answer. */
  mount(stores: KindStores): readonly MountedResource[];
  /**
   * Objects that every plane has from its first moment (default cluster roles). They are the same in all planes, and
   * have no row in the store until somebody changes or deletes one. This very list is every plane's: it is made once
   * for the process, not by the part. Metadata that the server decides (uid, creationTimestamp, managedFields) is added.
   */
  readonly standing?: readonly KubeObject[];
  /** Asked for each write of each kind of the plane, the server's own excepted. Throws StatusError to refuse it. */
  admit?(write: AdmittedWrite): void | Promise<void>;
  /** Called when the plane is open and before it serves; what is begun here works while the plane is loaded. */
  start?(): Promise<() => void>;
}
