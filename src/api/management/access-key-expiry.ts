import { isWorkloadKey } from './workload-key.ts';

/** The fields of an access key that determine its phase and its expiry. */
export interface AccessKeyLifetime {
  readonly metadata: { readonly creationTimestamp?: string };
  readonly spec?: {
    readonly ttl?: number;
    readonly ttlAfterLastActivity?: boolean;
    readonly disabled?: boolean;
    readonly type?: string;
    readonly identity?: { readonly connector?: string };
  };
  readonly status?: { readonly lastActivity?: string; readonly message?: string };
}

export type AccessKeyPhase = 'Active' | 'Disabled' | 'Expired';

/**
 * Returns the time at which the key expires by its `ttl`, in milliseconds since the epoch. `undefined` if the key never
 * expires.
 */
export function accessKeyExpiry(key: AccessKeyLifetime): number | undefined {
  // Convert the ttl, because it can be a bigint in a key that has not been validated yet.
  const ttl = Number(key.spec?.ttl ?? 0);
  if (ttl <= 0) return undefined;
  const created = Date.parse(key.metadata.creationTimestamp ?? '');
  const used = Date.parse(key.status?.lastActivity ?? '');
  const from = key.spec?.ttlAfterLastActivity === true && used > created ? used : created;
  return Number.isNaN(from) ? undefined : from + ttl * 1000;
}

export function accessKeyPhase(key: AccessKeyLifetime, now: number): AccessKeyPhase {
  if (key.spec?.disabled === true) return 'Disabled';
  const end = accessKeyExpiry(key);
  return end !== undefined && end <= now ? 'Expired' : 'Active';
}

const day = 24 * 3600 * 1000;
/** The time before the expiry of a key at which lists start to mark the key as expiring, in milliseconds. */
export const expiryReminder = 14 * day;
/** The time without use after which lists mark a key as unused, in milliseconds. */
const unusedAfter = 90 * day;

/**
 * True if the key is active and expires within the given time. False for keys of workloads, which always expire soon
 * and are replaced in time.
 */
export function isExpiring(key: AccessKeyLifetime, now: number, within = expiryReminder): boolean {
  const end = accessKeyExpiry(key);
  return accessKeyPhase(key, now) === 'Active' && end !== undefined && end - now <= within && !isWorkloadKey(key);
}

/**
 * True if the key is active and was not used for 90 days. For a key that was never used, the time since its creation
 * counts.
 */
export function isUnused(key: AccessKeyLifetime, now: number): boolean {
  return accessKeyPhase(key, now) === 'Active' && now - lastUse(key) >= unusedAfter;
}

/**
 * Returns the notice to the owner of a key: the reason why the key was or will be disabled, or that the key expires
 * soon or is unused. `undefined` if there is nothing to report. The end of a login is not reported, because logins
 * expire all the time.
 */
export function accessKeyNotice(key: AccessKeyLifetime, now: number): string | undefined {
  const { message = '' } = key.status ?? {};
  if (message !== '') return message;
  if (key.spec?.type === 'Login') return undefined;
  if (isExpiring(key, now)) {
    const days = Math.floor(((accessKeyExpiry(key) ?? now) - now) / day);
    return days === 0 ? 'expires today' : `expires in ${days} ${days === 1 ? 'day' : 'days'}`;
  }
  return isUnused(key, now) ? `unused for ${Math.floor((now - lastUse(key)) / day)} days` : undefined;
}

function lastUse(key: AccessKeyLifetime): number {
  const used = Date.parse(key.status?.lastActivity ?? '');
  if (!Number.isNaN(used)) return used;
  const created = Date.parse(key.metadata.creationTimestamp ?? '');
  return Number.isNaN(created) ? Number.POSITIVE_INFINITY : created;
}
