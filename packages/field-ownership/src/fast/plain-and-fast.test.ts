import { onBothPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import { type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePatch, object, stored, type ThingObject, thing } from '../thing.fixture.ts';
import { trackUpdate } from '../track-update.ts';

/** Few names and values, so that writers overlap and structures repeat. */
const text = fc.constantFrom<JsonValue>('1', '2', null);
const spec = fc.record(
  {
    a: text,
    size: fc.constantFrom<JsonValue>(1, 2, null),
    map: fc.dictionary(fc.constantFrom('k', 'l'), text, { maxKeys: 2 }),
    whole: fc.dictionary(fc.constantFrom('x', 'y'), text, { maxKeys: 2 }),
    inner: fc.dictionary(fc.constantFrom('x', 'y'), text, { maxKeys: 2 }),
    set: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    list: fc.array(fc.record({ name: fc.constantFrom('n', 'm'), value: text }), { maxLength: 2 }),
    free: fc.dictionary(fc.constantFrom('x', 'y'), text, { maxKeys: 2 }),
  },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<JsonObject>;
const write = fc.record({
  patch: fc.record({ spec, status: fc.record({ phase: text }) }, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>,
  manager: fc.constantFrom('one', 'two', ''),
  subresource: fc.constantFrom('', '', 'status'),
  later: fc.nat({ max: 2 }),
});

describe('the field ownership after a sequence of writes', () => {
  it('has the same bytes on the plain path and on the fast path', () => {
    fc.assert(
      fc.property(spec, fc.array(write, { maxLength: 6 }), (first, writes) => {
        const { plain, fast } = onBothPaths(() => {
          const texts: string[] = [];
          let seconds = 10;
          let live: ThingObject | undefined;
          const create = { patch: { spec: first }, manager: 'one', subresource: '', later: 0 };
          for (const { patch, manager, subresource, later } of [create, ...writes]) {
            seconds += later;
            const now = `2026-01-01T00:00:${seconds}Z`;
            const next = mergePatch((live ?? object({})) as JsonObject, patch) as ThingObject;
            const tracked = { kind: thing, next, manager, subresource, now };
            live = stored(trackUpdate(live === undefined ? tracked : { ...tracked, live }));
            texts.push(writeJson(live as JsonObject));
          }
          return texts;
        });
        expect(fast).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });
});
