import type { JsonValue } from '../lib/json-value.ts';

/** A limit as quotas give it, as a number or as text; undefined for whatever is no limit. */
export function quotaLimit(limit: JsonValue | undefined): number | undefined {
  const text = typeof limit === 'number' || typeof limit === 'string' ? String(limit) : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
