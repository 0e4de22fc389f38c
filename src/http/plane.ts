import type { KubeObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';

/** A control plane as the HTTP layer sees it: kinds to serve and somebody to ask. */
export interface Plane {
  /** The store slice; also its name in metrics and logs. */
  readonly id: string;
  resources(): readonly MountedResource[];
  find(group: string, version: string, plural: string): MountedResource | undefined;
  /** Goes up whenever the set of kinds changes; discovery and OpenAPI documents are made anew then. */
  readonly generation: number;
  authorize(identity: Identity, attributes: Attributes): Decision | Promise<Decision>;
  /** For requests (of that verb) that show some objects and not others; undefined: all of them. */
  mayRead(identity: Identity, kind: ResourceKind, verb: string): ((object: KubeObject) => boolean) | undefined;
}

/** Named checks behind /healthz, /livez and /readyz; a check throws when it fails. */
export interface HealthCheck {
  readonly name: string;
  /** livez looks only at those that a restart would mend. */
  readonly on: readonly ('livez' | 'readyz' | 'healthz')[];
  check(): void | Promise<void>;
}
