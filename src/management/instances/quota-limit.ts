import type { JsonValue } from '@flotilla/json';

/** Parses a quota limit, given as a number or as text. `undefined` if it is not a valid limit. */
export function quotaLimit(limit: JsonValue | undefined): number | undefined {
  const text = typeof limit === 'number' || typeof limit === 'string' ? String(limit) : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
