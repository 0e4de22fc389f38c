import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import type { ServedResources } from '../http/plane.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';

/** The API to which a gateway forwards a request: a control plane of this process, or a remote cluster. */
export interface GatewayTarget {
  /**
   * Decides whether the caller may make the request. If the target is a remote cluster, checks only impersonation,
   * because the remote cluster authorizes the request itself.
   */
  authorize(identity: Identity, attributes: Attributes): Decision | Promise<Decision>;
  /**
   * Waits until the caches of the target contain every acknowledged write. Resolves with the revision of the target's
   * slice. Absent if no other process writes to the store, or if the target itself waits.
   */
  freshRevision?(): Promise<number>;
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

/**
 * Authorizes a request with `decide`, which reads the caches of the target. A read waits until the caches are current
 * (`Exchange.freshRevision`), because the read itself needs current caches anyway. Other requests wait only if they
 * would be denied.
 */
export function authorizeInTarget(
  { freshRevision }: GatewayTarget,
  exchange: Exchange,
  decide: () => MaybePromise<Decision>,
): MaybePromise<Decision> {
  if (freshRevision === undefined) return decide();
  const decideWithCurrentState = async () => {
    exchange.freshRevision = await freshRevision();
    return await decide();
  };
  if (needsCurrentState(exchange)) return decideWithCurrentState();
  return andThen(decide(), (decision) => (decision.allowed ? decision : decideWithCurrentState()));
}

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

function needsCurrentState({ info, query }: Exchange): boolean {
  return (!info.isResource || reads.has(info.verb)) && query.get('resourceVersion') !== '0';
}

/** A target that a request uses. The target stays available until the session is closed. */
export interface GatewaySession {
  readonly target: GatewayTarget;
  /**
   * Fires when long-running requests must end because the virtual cluster falls asleep or is removed. The abort reason
   * contains the cause. Implementations may create the signal on first access.
   */
  readonly signal: AbortSignal;
  close(): void;
}

/** A control plane of this process, on this thread or on another thread. */
export interface PlaneTarget extends GatewayTarget {
  authenticate(token: string): Promise<Identity | undefined>;
}

/** A control plane that a request uses. The plane stays loaded until the session is closed. */
export interface PlaneSession extends GatewaySession {
  readonly target: PlaneTarget;
}
