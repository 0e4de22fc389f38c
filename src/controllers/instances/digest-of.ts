import { hash } from 'node:crypto';
import type { JsonValue } from '@flotilla/json';
import { canonicalJson, writeJson } from '@flotilla/json';

/** Digest that detects changes. 64 bits suffice for the few states that one instance has over its lifetime. */
export function digestOf(...values: readonly (JsonValue | undefined)[]): string {
  const text = writeJson(canonicalJson(values.map((value) => value ?? null)));
  return hash('sha256', text, 'hex').slice(0, 16);
}
