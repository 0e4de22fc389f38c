import type { KubeObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { RequestContext } from '../registry/context.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { Draft, StoredResource } from '../registry/resource.ts';
import type { ControlPlane, KindStores } from './control-plane.ts';

/** What a plane of the Kubernetes kind gives to the parts that it is made of. */
export interface PartDependencies {
  /** The plane's slice of the store. */
  readonly planeId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The plane itself, once it is open: parts are made before it. */
  plane(): ControlPlane;
}

/** A write that is about to be stored: its draft is final and valid by the rules of its own kind. */
export interface AdmittedWrite {
  readonly resource: StoredResource;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** '' for the object itself. */
  readonly subresource: string;
  /** For a delete, `object` is what is deleted. */
  readonly draft: Draft;
  readonly context: RequestContext;
  readonly dryRun: boolean;
}

/** One part of a plane of the Kubernetes kind (core kinds, RBAC, custom resources, policies): kinds and what they do. */
export interface PlanePart {
  readonly resources: readonly StoredResource[];
  /** What is served of them, and kinds that only answer. */
  mount(stores: KindStores): readonly MountedResource[];
  /**
   * Objects that every plane has from its first moment (default cluster roles). They are the same in all planes, and
   * have no row in the store until somebody changes or deletes one.
   */
  readonly standing?: readonly KubeObject[];
  /** Asked for each write of each kind of the plane, the server's own excepted. Throws StatusError to refuse it. */
  admit?(write: AdmittedWrite): void | Promise<void>;
  /** Called when the plane is open and before it serves; what is begun here works while the plane is loaded. */
  start?(): Promise<() => void>;
}
