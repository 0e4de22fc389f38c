import type { JsonObject, JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeMetadata } from './normalize-metadata.ts';

const texts = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'];
const maps = ['labels', 'annotations'];
const others = [
  'generation',
  'creationTimestamp',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'other',
  '__proto__',
];

const value = fc.oneof(
  fc.constantFrom<JsonValue>('', 'text', '2026-08-20T10:00:00Z', 7, null, [], {}, ['a'], [{ manager: 'a' }]),
  fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.constantFrom<JsonValue>('', 'text', 7, null)),
) as fc.Arbitrary<JsonValue>;

const metadata = fc.dictionary(fc.constantFrom(...texts, ...maps, ...maps, ...others), value, { maxKeys: 4 });

function outcome(sent: JsonObject): string {
  try {
    const shaped = normalizeMetadata(sent, 'metadata');
    return JSON.stringify([shaped.metadata, shaped.unknown]);
  } catch (error) {
    return String(error);
  }
}

describe('shapeMetadata', () => {
  it('returns the same result with and without the fast path', () => {
    fc.assert(
      // A selfLink is accepted and dropped, and disables the fast path.
      fc.property(metadata, (sent) => {
        expect(outcome(sent)).toBe(outcome({ ...sent, selfLink: 'x' }));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reuses members of already normalized metadata, and checks the others', () => {
    const managedFields = [{ manager: 'a', operation: 'Update' as const }] as never;
    const known = { name: 'a', generation: 2, creationTimestamp: '2026-08-20T10:00:00Z', managedFields };
    const { metadata: shaped, unknown } = normalizeMetadata({ ...known, labels: { a: 'b' } }, 'metadata', known);
    expect(shaped).toEqual({ ...known, labels: { a: 'b' } });
    expect(shaped.managedFields).toBe(managedFields);
    expect(unknown).toEqual([]);
    expect(() => normalizeMetadata({ ...known, generation: 'many' }, 'metadata', known)).toThrow(
      'ObjectMeta.generation',
    );
    expect(normalizeMetadata({ ...known, other: 1 }, 'metadata', known).unknown).toEqual(['metadata.other']);
  });

  it('does not modify its input', () => {
    const sent = { name: 'a', labels: { a: 'b' } };
    normalizeMetadata(sent, 'metadata').metadata.namespace = 'there';
    expect(sent).toEqual({ name: 'a', labels: { a: 'b' } });
  });
});
