import type { ResourceKind } from '../api/resource.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { RequestContext } from '../registry/context.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';

/** The members of a control plane's resources that metrics need. */
export interface ServedResources {
  /**
   * Returns the resource; `undefined` if the plane does not serve it. Repeated calls for a resource return the same
   * object.
   */
  find(group: string, version: string, plural: string): ServedResource | undefined;
}

export interface ServedResource {
  /** The subresources, by name. */
  readonly subresources: Readonly<Record<string, unknown>>;
}

/** The parts of a control plane that the HTTP layer uses: the kinds that it serves and its authorizer. */
export interface Plane extends ServedResources {
  /** The name of the plane's store slice. It also identifies the plane in metrics and logs. */
  readonly id: string;
  resources(): readonly MountedResource[];
  find(group: string, version: string, plural: string): MountedResource | undefined;
  /**
   * Increases with every change to the set of kinds. Discovery and OpenAPI documents must be created again afterwards.
   */
  readonly generation: number;
  /**
   * Waits until the plane serves all kinds that are defined now in this API group, or in all groups if `group` is
   * absent. This function is absent if no other process writes to the store: the process then serves a new kind before
   * it acknowledges the write that defines the kind.
   */
  settled?(group?: string): Promise<void>;
  authorize(identity: Identity, attributes: Attributes): Decision | Promise<Decision>;
  /** Returns a predicate for the objects that the caller may read; `undefined` if the caller may read all of them. */
  mayRead(identity: Identity, kind: ResourceKind, verb: string): RequestContext['mayRead'];
}

/** A check of /healthz, /livez or /readyz. `check` throws if it fails. */
export interface HealthCheck {
  readonly name: string;
  /**
   * The endpoints that include the check. `livez` includes only checks whose failure a restart of the server can fix.
   */
  readonly on: readonly ('livez' | 'readyz' | 'healthz')[];
  check(): void | Promise<void>;
}
