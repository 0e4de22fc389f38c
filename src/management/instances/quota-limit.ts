import type { JsonValue } from '@flotilla/json';

/** Parses a quota limit, which is a number or a text. `undefined` if it is not a valid limit. */
export function quotaLimit(limit: JsonValue | undefined): number | undefined {
  const text = typeof limit === 'number' || typeof limit === 'string' ? String(limit) : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
