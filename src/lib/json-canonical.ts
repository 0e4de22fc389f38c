import { sortBytes } from './json-order.ts';
import { type JsonObject, type JsonValue, setMember } from './json-value.ts';

/**
 * The same value with its members in byte order at every level, without those that are undefined, and frozen. What is
 * frozen already is taken over as it stands: all that is comes from here or was read from sorted text.
 */
export function canonicalJson<T extends JsonValue>(value: T): T {
  return canonical(value) as T;
}

function canonical(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => canonical(item ?? null))) as JsonValue[];
  const copy: JsonObject = {};
  for (const key of sortBytes(Object.keys(value))) {
    const member = value[key];
    if (member !== undefined) setMember(copy, key, canonical(member));
  }
  return Object.freeze(copy);
}
