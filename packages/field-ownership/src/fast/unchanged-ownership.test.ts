import { runOnFastPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import { cloneJson, type JsonObject, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readManagers } from '../managers/managers.ts';
import { mergePatch, object, stored, type ThingObject, thing } from '../thing.fixture.ts';
import { recordUpdate, trackUpdate, withManagedFields } from '../track-update.ts';
import type { TrackedWrite } from '../tracked-write.ts';
import { UnkeyedItemError } from '../typed/typed.ts';
import { unchangedOwnership } from './unchanged-ownership.ts';

/** Returns the result of the full comparison; `undefined` if the objects cannot be compared. */
function thePlainWay(write: TrackedWrite): unknown {
  try {
    const managers =
      readManagers(write.live?.metadata.managedFields as JsonValue | undefined, thing.group) ?? new Map();
    return withManagedFields(write.next, recordUpdate(write, managers)).metadata.managedFields;
  } catch (error) {
    if (error instanceof UnkeyedItemError) return undefined;
    throw error;
  }
}

/** Few names and values, so that writers overlap. */
const texts = fc.constantFrom<JsonValue>('1', '2', null);
const spec = fc.record(
  {
    a: texts,
    b: texts,
    size: fc.constantFrom<JsonValue>(1, 2, null),
    map: fc.dictionary(fc.constantFrom('k', 'l', '__proto__', 'constructor'), texts, { maxKeys: 2 }),
    whole: fc.dictionary(fc.constantFrom('x', 'y'), texts, { maxKeys: 2 }),
    inner: fc.dictionary(fc.constantFrom('x', 'y'), texts, { maxKeys: 2 }),
    set: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    list: fc.array(fc.record({ name: fc.constantFrom('n', 'm'), value: texts }), { maxLength: 2 }),
    plainList: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    free: fc.dictionary(fc.constantFrom('x', 'y'), texts, { maxKeys: 2 }),
  },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<JsonObject>;
const metadata = fc.record(
  {
    labels: fc.dictionary(fc.constantFrom('k', 'l'), texts, { maxKeys: 2 }),
    finalizers: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    generation: fc.constantFrom(1, 2),
  },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<JsonObject>;
const status = fc.record({ phase: texts, note: texts }, { requiredKeys: [] }) as unknown as fc.Arbitrary<JsonObject>;

const value = fc.constantFrom<JsonValue>('1', '2');
const items = fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 });
/** Changes one field, which usually exists. */
const touch = fc.oneof(
  fc.record({ a: value }),
  fc.record({ size: fc.constantFrom(1, 2) }),
  fc.record({ map: fc.record({ k: value }) }),
  fc.record({ inner: fc.record({ x: value }) }),
  fc.record({ whole: fc.record({ x: value }) }),
  fc.record({ free: fc.record({ x: value }) }),
  fc.record({ plainList: items }),
  fc.record({ set: items }),
  fc.record({ list: fc.tuple(fc.record({ name: fc.constant('n'), value })) }),
) as unknown as fc.Arbitrary<JsonObject>;
const whole: JsonObject = {
  a: '1',
  size: 1,
  map: { k: '1' },
  inner: { x: '1' },
  whole: { x: '1' },
  free: { x: '1' },
  plainList: ['x'],
};

const write = fc.record({
  patch: fc.oneof(
    { arbitrary: fc.record({ spec: touch }), weight: 6 },
    { arbitrary: fc.record({ spec: touch, metadata }), weight: 2 },
    { arbitrary: fc.record({ status: fc.record({ phase: value }) }), weight: 2 },
    fc.record({ spec, status }),
    fc.record({ metadata }),
  ) as unknown as fc.Arbitrary<JsonObject>,
  manager: fc.constantFrom('one', 'one', 'two', ''),
  subresource: fc.constantFrom('', '', 'status'),
  later: fc.nat({ max: 2 }),
  isOwnCopy: fc.boolean(),
});

describe('the field ownership of a write that only changes the writer’s own fields', () => {
  runOnFastPaths();

  it('equals the result of a full comparison (SSA-16, SSA-26, SSA-34)', () => {
    let kept = 0;
    fc.assert(
      fc.property(
        fc.oneof(fc.constant<JsonObject>({}), spec),
        fc.array(write, { minLength: 2, maxLength: 8 }),
        (first, writes) => {
          let seconds = 10;
          const at = () => `2026-01-01T00:00:${seconds}Z`;
          const made = mergePatch(object({}) as JsonObject, { spec: { ...whole, ...first } }) as ThingObject;
          let live = stored(trackUpdate({ kind: thing, next: made, manager: 'one', subresource: '', now: at() }));
          for (const { patch, manager, subresource, later, isOwnCopy } of writes) {
            seconds += later;
            const patched = mergePatch(live as JsonObject, patch) as ThingObject;
            const next = isOwnCopy ? cloneJson(patched) : patched;
            const tracked = { kind: thing, live, next, manager, subresource, now: at() };
            const expected = thePlainWay(tracked);
            const found = unchangedOwnership(tracked);
            if (found !== undefined) {
              kept++;
              expect(found).toEqual(expected);
              expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
            }
            live = stored(trackUpdate(tracked));
          }
        },
      ),
      { numRuns: 600 },
    );
    expect(kept).toBeGreaterThan(100);
  });

  it('changes only the time of its entry, and shares the fields with the previous entry', () => {
    const now = '2026-01-01T00:00:20Z';
    const first = { kind: thing, next: object({ a: '1', b: '1' }), manager: 'one', subresource: '' };
    const made = stored(trackUpdate({ ...first, now: '2026-01-01T00:00:10Z' }));
    const live = stored(
      trackUpdate({
        ...first,
        live: made,
        next: { ...made, spec: { a: '1', b: '2' } },
        manager: 'two',
        now: '2026-01-01T00:00:15Z',
      }),
    );
    const next = { ...live, spec: { a: '2', b: '2' } };
    // The cache does not contain the fields yet, so the full comparison runs.
    expect(unchangedOwnership({ ...first, live, next, now })).toBeUndefined();
    trackUpdate({ ...first, live, next, now });
    const found = unchangedOwnership({ ...first, live, next, now });
    expect(found?.map(({ manager, time }) => [manager, time])).toEqual([
      ['two', '2026-01-01T00:00:15Z'],
      ['one', now],
    ]);
    expect(found?.[1]?.fieldsV1).toBe(live.metadata.managedFields?.[0]?.fieldsV1);
    const withSpec = (changed: JsonObject): ThingObject => ({ ...live, spec: changed });
    expect(unchangedOwnership({ ...first, live, next: withSpec({ a: '1', b: '3' }), now })).toBeUndefined();
    expect(unchangedOwnership({ ...first, live, next: withSpec({ a: '1' }), now })).toBeUndefined();
  });
});
