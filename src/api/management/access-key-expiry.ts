/** The fields of an access key that determine its phase and its expiry. */
export interface AccessKeyLifetime {
  readonly metadata: { readonly creationTimestamp?: string };
  readonly spec?: {
    readonly ttl?: number;
    readonly ttlAfterLastActivity?: boolean;
    readonly disabled?: boolean;
  };
  readonly status?: { readonly lastActivity?: string };
}

export type AccessKeyPhase = 'Active' | 'Disabled' | 'Expired';

/**
 * Returns the time at which the key expires by its `ttl`, in milliseconds since the epoch. `undefined` if it never
 * does.
 */
export function accessKeyExpiry(key: AccessKeyLifetime): number | undefined {
  // The ttl of a key that has not been validated yet can be a bigint.
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
