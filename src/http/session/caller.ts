import { unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Exchange } from '../exchange.ts';

/**
 * Returns the authenticated caller. Throws 401 if there is none, which happens only without an authentication filter.
 */
export function callerOf(exchange: Exchange): Identity {
  if (exchange.identity === undefined) throw unauthorized();
  return exchange.identity;
}

/** Returns the key for rate limits and fair queueing: the caller's access key, or the user name if there is none. */
export function flowKeyOf({ accessKey, fairQueueKey, user }: Identity): string {
  return accessKey ?? fairQueueKey ?? user.name;
}

/**
 * Returns the key for limits that a caller must not be able to avoid by using more credentials or impersonation. All
 * access keys of a user share one key, and all service accounts of a virtual cluster share one key.
 */
export function tenantKeyOf({ accessKey, fairQueueKey, impersonatedBy, user }: Identity): string {
  if (accessKey !== undefined || fairQueueKey === undefined) return `${userTenantPrefix}${impersonatedBy ?? user.name}`;
  return `cluster ${fairQueueKey.split('/', 1)[0]}`;
}

const userTenantPrefix = 'user ';

/** True if a key from `tenantKeyOf` identifies a user. */
export function isUserTenant(tenant: string): boolean {
  return tenant.startsWith(userTenantPrefix);
}
