import { runOnFastPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFieldsV1 } from '../field-set/fields-v1.ts';
import { type ThingObject, thing } from '../thing.fixture.ts';
import { recordUpdate, trackUpdate } from '../track-update.ts';

/** Few names and few shapes, so that many objects have an equal or similar structure. */
const name = fc.constantFrom('a', 'b', 'inner', 'map', 'whole', 'free', 'set', 'plainList', '1', '{', '.');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('x', '', 1, true, null),
    fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    fc.dictionary(name, tie('any'), { maxKeys: 3 }),
  ),
})).any;
const spec = fc.dictionary(name, value, { maxKeys: 4 });

function created(content: unknown, labels: Record<string, string>): ThingObject {
  return { apiVersion: 'g.io/v1', kind: 'Thing', metadata: { name: 'n', labels }, spec: content } as ThingObject;
}

describe('the ownership of a creator', () => {
  runOnFastPaths();

  it('is the same whether it was computed for this object or for one of the same structure (CREATE-07)', () => {
    fc.assert(
      fc.property(spec, fc.dictionary(name, fc.constant(''), { maxKeys: 2 }), (content, labels) => {
        const write = {
          kind: thing,
          next: created(content, labels),
          manager: 'm',
          subresource: '',
          now: '2026-01-01T00:00:00Z',
        };
        let expected: unknown;
        try {
          const [managed] = recordUpdate(write, new Map()).values();
          expected = managed === undefined ? undefined : toFieldsV1(managed.fields);
        } catch {
          // A list item has no usable key or value, so nothing is tracked.
        }
        expect(trackUpdate(write).metadata.managedFields?.[0]?.fieldsV1).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('is one shared object for all objects of the same structure', () => {
    const track = (content: unknown) =>
      trackUpdate({ kind: thing, next: created(content, {}), manager: 'm', subresource: '', now: '' });
    const [one, other] = [track({ a: 'x', map: { k: '1' } }), track({ a: 'y', map: { k: '2' } })];
    expect(one.metadata.managedFields?.[0]?.fieldsV1).toBe(other.metadata.managedFields?.[0]?.fieldsV1);
    const different = track({ a: 'x', map: { l: '1' } });
    expect(different.metadata.managedFields?.[0]?.fieldsV1).not.toEqual(one.metadata.managedFields?.[0]?.fieldsV1);
  });
});
