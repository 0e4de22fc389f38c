import { flagAt, numberAt, textAt } from '../../lib/json-path.ts';
import type { KubeObject } from '../meta.ts';

export type AccessKeyPhase = 'Active' | 'Disabled' | 'Expired';

/** The expiry of the key by its own ttl, in milliseconds since the epoch. `undefined` if it does not expire. */
export function accessKeyEnd(key: KubeObject): number | undefined {
  const ttl = numberAt(key, 'spec', 'ttl') ?? 0;
  if (ttl <= 0) return undefined;
  const created = Date.parse(key.metadata.creationTimestamp ?? '');
  const used = Date.parse(textAt(key, 'status', 'lastActivity'));
  const from = flagAt(key, 'spec', 'ttlAfterLastActivity') && used > created ? used : created;
  return Number.isNaN(from) ? undefined : from + ttl * 1000;
}

export function accessKeyPhase(key: KubeObject, now: number): AccessKeyPhase {
  if (flagAt(key, 'spec', 'disabled')) return 'Disabled';
  const end = accessKeyEnd(key);
  return end !== undefined && end <= now ? 'Expired' : 'Active';
}
