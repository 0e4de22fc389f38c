import { onBothPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import type { JsonObject, JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NormalizedMetadata, normalizeMetadata } from './normalize-metadata.ts';

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

function textOf({ metadata, unknown }: NormalizedMetadata): string {
  return JSON.stringify([metadata, unknown]);
}

/** Returns the normalized metadata; `undefined` if it is invalid. */
function normalized(sent: JsonObject): NormalizedMetadata['metadata'] | undefined {
  try {
    return normalizeMetadata(sent, 'metadata').metadata;
  } catch {
    return undefined;
  }
}

describe('normalizeMetadata', () => {
  it('returns the same result on the plain path and on the fast path', () => {
    fc.assert(
      fc.property(metadata, metadata, (sent, change) => {
        const { plain, fast } = onBothPaths(() => textOf(normalizeMetadata(sent, 'metadata')));
        expect(fast).toBe(plain);
        const known = normalized(sent);
        if (known === undefined) return;
        const changed = { ...known, ...change } as JsonObject;
        const both = onBothPaths(() => textOf(normalizeMetadata(changed, 'metadata', known)));
        expect(both.fast).toBe(both.plain);
        const unchanged = onBothPaths(() => textOf(normalizeMetadata(known as JsonObject, 'metadata', known)));
        expect(unchanged.fast).toBe(unchanged.plain);
      }),
      { numRuns: 2_000 },
    );
  });

  it('uses the fast path for ordinary metadata', () => {
    const sent: JsonObject = { name: 'a', labels: { a: 'b' } };
    const { plain, fast } = onBothPaths(() => normalizeMetadata(sent, 'metadata').metadata.labels === sent.labels);
    expect({ plain, fast }).toEqual({ plain: false, fast: true });
  });

  it('reuses members of already normalized metadata on the fast path, and checks the others', () => {
    const managedFields = [{ manager: 'a', operation: 'Update' as const }] as never;
    const known = { name: 'a', generation: 2, creationTimestamp: '2026-08-20T10:00:00Z', managedFields };
    const normalize = () => normalizeMetadata({ ...known, labels: { a: 'b' } }, 'metadata', known).metadata;
    const { plain, fast } = onBothPaths(() => normalize().managedFields === managedFields);
    expect({ plain, fast }).toEqual({ plain: false, fast: true });
    const { metadata: shaped, unknown } = normalizeMetadata({ ...known, labels: { a: 'b' } }, 'metadata', known);
    expect(shaped).toEqual({ ...known, labels: { a: 'b' } });
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
