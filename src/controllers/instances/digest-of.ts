import { hash } from 'node:crypto';
import { canonicalJson, type JsonValue, writeJson } from '@flotilla/json';

/**
 * Returns a digest of the values. Different values have different digests: 64 bits suffice to distinguish the few
 * states of one instance.
 */
export function digestOf(...values: readonly (JsonValue | undefined)[]): string {
  const text = writeJson(canonicalJson(values.map((value) => value ?? null)));
  return hash('sha256', text, 'hex').slice(0, 16);
}
