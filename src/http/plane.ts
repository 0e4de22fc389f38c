import type { KubeObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';

/** A control plane as the HTTP layer sees it: the kinds that it serves and its authorizer. */
export interface Plane {
  /** The store slice; also its name in metrics and logs. */
  readonly id: string;
  resources(): readonly MountedResource[];
  find(group: string, version: string, plural: string): MountedResource | undefined;
  /** Incremented whenever the set of kinds changes. Discovery and OpenAPI documents are then regenerated. */
  readonly generation: number;
  authorize(identity: Identity, attributes: Attributes): Decision | Promise<Decision>;
  /** Returns a filter for the objects that the caller may see with that verb; `undefined` if it may see all of them. */
  mayRead(identity: Identity, kind: ResourceKind, verb: string): ((object: KubeObject) => boolean) | undefined;
}

/** A named check behind /healthz, /livez and /readyz. It throws if it fails. */
export interface HealthCheck {
  readonly name: string;
  /** livez includes only the checks whose failure a restart can fix. */
  readonly on: readonly ('livez' | 'readyz' | 'healthz')[];
  check(): void | Promise<void>;
}
