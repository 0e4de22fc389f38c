import { createHash } from 'node:crypto';
import { flagAt, type JsonObject, numberAt, objectAt, textAt, textsAt } from '@flotilla/json';
import { kubernetesAuthenticatedGroup, systemPrefix } from '../../api/naming.ts';
import { serviceUnavailable, tooManyRequests } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { unverifiedClaims } from '../../auth/unverified-claims.ts';
import type { ClusterApi } from '../../hosts/host.ts';
import { createVirtualClusterClient } from '../../hosts/virtual-cluster-client.ts';
import type { Clock } from '../../lib/clock.ts';

/** A service account whose token the cluster has accepted in a TokenReview. */
export interface ReviewedServiceAccount {
  readonly user: UserInfo;
  /**
   * The expiry of the token, in milliseconds since the epoch. Absent if the token is valid as long as its service
   * account exists.
   */
  readonly expiresAt?: number;
}

/** Authenticates service account tokens. Sends a TokenReview to the cluster that issued the token. */
export interface TokenReviews {
  /**
   * Returns the service account of the token; `undefined` if the cluster does not accept the token. `target` is a
   * unique name of the cluster, for the cache. Rejects if the cluster does not respond.
   */
  serviceAccountOf(target: string, api: ClusterApi, token: string): Promise<ReviewedServiceAccount | undefined>;
  /**
   * True if the cluster accepted the token in a cached TokenReview. A caller with such a token may learn why the
   * cluster does not respond; other callers may not.
   */
  wasAuthenticated(target: string, token: string): boolean;
}

interface CachedReview {
  readonly at: number;
  readonly account: ReviewedServiceAccount | undefined;
}

/**
 * The time for which the result of a TokenReview is cached. A revoked token does no harm during this time, because the
 * cluster checks the token again with each forwarded request.
 */
const cacheMs = 10_000;
const maxCached = 10_000;
const reviewTimeoutMs = 10_000;
/** Maximum number of concurrent TokenReviews. Anyone can send strings that look like tokens and so cause reviews. */
const maxInFlight = 64;
const accountPrefix = `${systemPrefix}serviceaccount:`;
const accountsGroup = `${systemPrefix}serviceaccounts`;

export function createTokenReviews({ clock }: { readonly clock: Clock }): TokenReviews {
  /** The results of TokenReviews by a hash of target and token, oldest first. */
  const cache = new Map<string, CachedReview>();
  const inFlight = new Map<string, Promise<ReviewedServiceAccount | undefined>>();

  /**
   * Sends a TokenReview. All requests with the same token share the review, so the end of one request does not cancel
   * it.
   */
  async function review(key: string, api: ClusterApi, token: string, claims: JsonObject) {
    const timeout = new AbortController();
    const cancel = clock.after(reviewTimeoutMs, () =>
      timeout.abort(serviceUnavailable('the cluster did not respond to a TokenReview in time', 1)),
    );
    try {
      return store(key, accountIn(await sendTokenReview(api, token, timeout.signal), claims));
    } finally {
      cancel();
    }
  }

  function store(key: string, account: ReviewedServiceAccount | undefined): ReviewedServiceAccount | undefined {
    cache.delete(key);
    cache.set(key, { at: clock.elapsed(), account });
    const [oldest] = cache.keys();
    if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
    return account;
  }

  return {
    async serviceAccountOf(target, api, token) {
      const claims = unverifiedClaims(token);
      if (claims === undefined || !textAt(claims, 'sub').startsWith(accountPrefix)) return undefined;
      const end = numberAt(claims, 'exp');
      if (end !== undefined && end * 1000 <= clock.now()) return undefined;
      const key = keyOf(target, token);
      const cached = cache.get(key);
      if (cached !== undefined && clock.elapsed() - cached.at < cacheMs) return cached.account;
      if (inFlight.size >= maxInFlight && !inFlight.has(key)) {
        throw tooManyRequests('too many token reviews are in progress, please try again later', 1);
      }
      const pending = inFlight.get(key) ?? review(key, api, token, claims).finally(() => inFlight.delete(key));
      inFlight.set(key, pending);
      return await pending;
    },
    wasAuthenticated: (target, token) => cache.get(keyOf(target, token))?.account !== undefined,
  };
}

function sendTokenReview(api: ClusterApi, token: string, signal: AbortSignal): Promise<JsonObject> {
  return createVirtualClusterClient(api, signal).create('/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token },
  });
}

function keyOf(target: string, token: string): string {
  return createHash('sha256').update(`${target}\0${token}`).digest('base64');
}

/** Returns the service account from a TokenReview; `undefined` if the token belongs to another kind of user. */
function accountIn(review: JsonObject, claims: JsonObject): ReviewedServiceAccount | undefined {
  const name = textAt(review, 'status', 'user', 'username');
  if (!flagAt(review, 'status', 'authenticated') || !name.startsWith(accountPrefix)) return undefined;
  const end = numberAt(claims, 'exp');
  const uid = textAt(review, 'status', 'user', 'uid');
  const extra = objectAt(review, 'status', 'user', 'extra');
  return {
    user: {
      name,
      ...(uid === '' ? {} : { uid }),
      // Ignore all groups except the groups that Kubernetes assigns to every service account.
      groups: textsAt(review, 'status', 'user', 'groups').filter(
        (group) => group.startsWith(accountsGroup) || group === kubernetesAuthenticatedGroup,
      ),
      ...(extra === undefined ? {} : { extra: extra as unknown as Record<string, readonly string[]> }),
    },
    ...(end === undefined ? {} : { expiresAt: end * 1000 }),
  };
}
