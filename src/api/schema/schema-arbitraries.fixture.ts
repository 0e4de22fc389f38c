import type { JsonObject, JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import type { Schema } from './schema.ts';

const names = ['apiVersion', 'kind', 'metadata', 'a', 'b', 'c', '__proto__', 'constructor', '7'];

export const scalars = fc.constantFrom<JsonValue>(null, 'text', 7, true, 7n);

/** Returns random schemas. They use few names and set many flags, so that random values often match them. */
export function schemaOf(levels: number): fc.Arbitrary<Schema> {
  const below = levels === 0 ? fc.constant<Schema>({ type: 'string' }) : schemaOf(levels - 1);
  return fc
    .record(
      {
        type: fc.constantFrom('object', 'array', 'string'),
        properties: fc.dictionary(fc.constantFrom(...names), below, { maxKeys: 4 }),
        additionalProperties: fc.oneof(fc.boolean(), below),
        items: below,
        nullable: fc.boolean(),
        default: fc.constantFrom<JsonValue>('filled', { a: null }, []),
        'x-kubernetes-preserve-unknown-fields': fc.boolean(),
        'x-kubernetes-embedded-resource': fc.nat({ max: 9 }).map((chance) => chance === 0),
      },
      { requiredKeys: [] },
    )
    .map((made) => made as Schema);
}

/** Returns random values that use the member names of the random schemas. */
export function jsonOf(levels: number): fc.Arbitrary<JsonValue> {
  if (levels === 0) return scalars;
  const below = jsonOf(levels - 1);
  const object = fc.dictionary(fc.constantFrom(...names), below, { maxKeys: 4 }) as fc.Arbitrary<JsonValue>;
  return fc.oneof(scalars, fc.array(below, { maxLength: 3 }) as fc.Arbitrary<JsonValue>, object, object);
}

/** Random objects of the kind Thing. */
export const resources = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', '7'), jsonOf(2), { maxKeys: 3 })
  .map((members) => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'one' }, ...members }) as JsonObject);

/** Returns the JSON of a value with its members in their current order. */
export function orderedText(value: JsonValue): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each));
}
