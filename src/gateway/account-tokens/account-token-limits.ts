import type { CredentialUse } from '../../api/management/credential-use.ts';
import { revocationTime } from '../../api/management/revoked-tokens.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { endWhenInvalid } from '../credential-expiry.ts';

/** The limits of service account tokens at the gateway, in addition to the limits of the virtual cluster itself. */
export interface AccountTokenLimits<Instance = VirtualClusterInstance> {
  /** The maximum age of a token since it was issued, in seconds. 0 means no limit. */
  readonly maxAgeSeconds: number;
  /**
   * True if the creator of a token, a user or team, may use the instance now. Absent if tokens stay valid when their
   * creator loses access, or if the creator is not known.
   */
  creatorMayUse?(creator: string, instance: Instance): boolean;
}

/**
 * Returns the time in milliseconds at which a service account token reaches its maximum age; `Infinity` if there is no
 * maximum. A token that does not contain the time of its issue is older than any maximum.
 */
export function endOfMaxAge(
  token: CredentialUse | undefined,
  { maxAgeSeconds }: Pick<AccountTokenLimits, 'maxAgeSeconds'>,
): number {
  if (maxAgeSeconds === 0) return Number.POSITIVE_INFINITY;
  const milliseconds = maxAgeSeconds * 1000;
  return (token?.issued ?? -milliseconds) + milliseconds;
}

/**
 * True if the instance no longer accepts the token. If any tokens of the service account are revoked, all its tokens
 * without a time of issue are revoked too.
 */
export function isRevokedUse(token: CredentialUse, { status }: VirtualClusterInstance): boolean {
  const account = { namespace: token.namespace, name: token.serviceAccount };
  return (token.issued ?? 0) < revocationTime(status?.revokedTokens, account);
}

/** The interval at which the access of the creator is checked during a long-running request. */
const checkMs = 5_000;

/** Calls `isAllowed` regularly during a long-running request, and ends the request when the result is false. */
export function endWhenDenied(
  exchange: Exchange,
  isAllowed: () => boolean,
  clock: Clock,
  next: Handler,
): Promise<Reply> {
  const observe = (invalidate: () => void) => {
    let cancel = (): void => {};
    const schedule = (): void => {
      cancel = clock.after(checkMs, () => (isAllowed() ? schedule() : invalidate()));
    };
    schedule();
    return () => cancel();
  };
  return endWhenInvalid(exchange, observe, next);
}
