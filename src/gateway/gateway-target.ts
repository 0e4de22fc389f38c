import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Handler } from '../http/exchange.ts';
import type { ServedResources } from '../http/plane.ts';

/** The API to which a gateway forwards a request: a control plane of this process, or a remote cluster. */
export interface GatewayTarget {
  /**
   * Decides whether the caller may make the request. For a remote cluster it checks only impersonation, because that
   * cluster authorizes the request itself.
   */
  authorize(identity: Identity, attributes: Attributes): Decision | Promise<Decision>;
  /** Serves a request. Called only after `Identity.preauthorize` and `authorize` have allowed the request. */
  readonly serve: Handler;
  /** The resources that the target serves, for metrics; absent for a remote cluster. */
  readonly plane?: ServedResources;
  /**
   * Returns the service account of the target to which the token belongs; `undefined` if the token is invalid. Absent
   * for a remote cluster.
   */
  authenticate?(token: string): Promise<Identity | undefined>;
}

/** A target that a request uses. The target stays available until the session is closed. */
export interface GatewaySession {
  readonly target: GatewayTarget;
  /**
   * Fires when long-running requests must end because the virtual cluster falls asleep or is removed. The abort reason
   * says which of the two. Implementations may create the signal on first access.
   */
  readonly signal: AbortSignal;
  close(): void;
}

/** A control plane of this process, on this thread or on another one. */
export interface PlaneTarget extends GatewayTarget {
  authenticate(token: string): Promise<Identity | undefined>;
}

/** A control plane that a request uses. The plane stays loaded until the session is closed. */
export interface PlaneSession extends GatewaySession {
  readonly target: PlaneTarget;
}
