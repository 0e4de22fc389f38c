import { equalJson, type JsonObject, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApplyConflictError } from './apply-errors.ts';
import { equalExceptTimes } from './equal-except-times.ts';
import { fromFieldsV1 } from './field-set/fields-v1.ts';
import { printPath } from './field-set/path-element.ts';
import { errorOf, object, Thing, type ThingObject } from './thing.fixture.ts';

const value = fc.constantFrom('1', '2', '3');

function some<T extends JsonValue>(members: Record<string, fc.Arbitrary<T>>): fc.Arbitrary<JsonObject> {
  return fc.record(members, { requiredKeys: [] }) as unknown as fc.Arbitrary<JsonObject>;
}

const items = fc
  .uniqueArray(fc.constantFrom('i', 'j', 'k'), { maxLength: 3 })
  .chain((names) => fc.tuple(...names.map((name) => some({ value, more: value }).map((rest) => ({ name, ...rest })))));

/** No empty containers: an empty container owns itself, and appears and disappears with its contents. */
const spec = some<JsonValue>({
  a: value,
  b: value,
  map: some({ k: value, l: value }),
  whole: some({ x: value, y: value }),
  set: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 }),
  list: items as fc.Arbitrary<JsonValue>,
  plainList: fc.array(value, { minLength: 1, maxLength: 2 }),
}).map(withoutEmpty);

function withoutEmpty(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => Object.keys(member as object).length > 0));
}

const body = spec.map((members) => object(members));

/** Converts lists to sorted lists, because the properties in this test ignore the order of items. */
function unordered(given: JsonValue | undefined): JsonValue {
  if (Array.isArray(given))
    return given
      .map(unordered)
      .map((item) => JSON.stringify(item))
      .sort();
  if (typeof given !== 'object' || given === null) return given ?? null;
  const members = Object.entries(given).map(([key, member]) => [key, unordered(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function paths(fields: JsonObject | undefined): Set<string> {
  return new Set(
    fromFieldsV1(fields ?? {})
      .paths()
      .map(printPath),
  );
}

describe('server-side apply', () => {
  it('is a no-op the second time (SSA-15)', () => {
    fc.assert(
      fc.property(body, body, body, (other, earlier, applied) => {
        const state = new Thing();
        state.update('u', other);
        state.apply('m', earlier, { force: true });
        const once = state.apply('m', applied, { force: true });
        const twice = state.apply('m', applied);
        expect(twice).toEqual(once);
        expect(equalExceptTimes(once, twice)).toBe(true);
      }),
    );
  });

  it('removes everything of an earlier configuration of its manager except what others own (SSA-08)', () => {
    fc.assert(
      fc.property(body, body, (first, second) => {
        const [through, direct] = [new Thing(), new Thing()];
        through.apply('m', first);
        through.apply('m', second);
        direct.apply('m', second);
        expect(unordered(through.spec)).toEqual(unordered(direct.spec));
        expect(through.owned('m')).toEqual(direct.owned('m'));
      }),
    );
  });

  it('keeps the fields of other managers whatever it applies and drops (SSA-08)', () => {
    fc.assert(
      fc.property(body, body, body, (others, first, second) => {
        const state = new Thing();
        state.apply('other', others);
        if (state.conflicts('m', first).length > 0 || state.conflicts('m', second).length > 0) return;
        state.apply('m', first);
        state.apply('m', second);
        const merged = new Thing();
        merged.apply('other', others);
        merged.apply('m', second);
        expect(unordered(state.spec)).toEqual(unordered(merged.spec));
        expect(state.owned('other')).toEqual(merged.owned('other'));
      }),
    );
  });

  it('takes exactly the conflicting fields when forced (SSA-14)', () => {
    fc.assert(
      fc.property(body, body, (theirs, mine) => {
        const state = new Thing();
        state.update('them', theirs);
        const before = paths(state.owned('them', 'Update'));
        const conflicts = state.conflicts('m', mine);
        state.apply('m', mine, { force: true });
        const after = paths(state.owned('them', 'Update'));
        expect(after).toEqual(new Set([...before].filter((path) => !conflicts.includes(path))));
        for (const path of conflicts) expect(paths(state.owned('m'))).toContain(path);
      }),
    );
  });

  it('commutes for managers of different fields, which never conflict', () => {
    const left = some<JsonValue>({
      a: value,
      map: some({ k: value }),
      set: fc.constant(['x']),
      list: fc.constant([{ name: 'i', value: '1' }]),
    });
    const right = some<JsonValue>({
      b: value,
      map: some({ l: value }),
      set: fc.constant(['y']),
      list: fc.constant([{ name: 'j', value: '1' }]),
    });
    fc.assert(
      fc.property(left.map(withoutEmpty), right.map(withoutEmpty), (one, two) => {
        const [forward, backward] = [new Thing(), new Thing()];
        forward.apply('one', object(one));
        forward.apply('two', object(two));
        backward.apply('two', object(two));
        backward.apply('one', object(one));
        expect(unordered(forward.spec)).toEqual(unordered(backward.spec));
        // An empty spec counts as a field itself, so this property does not hold.
        if (Object.keys(one).length === 0 || Object.keys(two).length === 0) return;
        expect(forward.owned('one')).toEqual(backward.owned('one'));
        expect(forward.owned('two')).toEqual(backward.owned('two'));
      }),
    );
  });

  it('never leaves an entry that names an absent field', () => {
    const step = fc.record({ apply: fc.boolean(), manager: fc.constantFrom('m', 'n', 'o'), body });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        const state = new Thing();
        for (const each of steps) {
          if (each.apply) state.apply(each.manager, each.body, { force: true });
          else state.update(each.manager, each.body);
        }
        const present = new Thing();
        present.update('all', state.live as ThingObject);
        const all = paths(present.owned('all', 'Update'));
        for (const entry of state.entries) for (const path of paths(entry.fieldsV1)) expect(all).toContain(path);
      }),
    );
  });

  it('either rejects or applies completely', () => {
    fc.assert(
      fc.property(body, body, (theirs, mine) => {
        const state = new Thing();
        state.update('them', theirs);
        const before = structuredClone(state.live);
        if (state.conflicts('m', mine).length === 0) return;
        expect(errorOf(() => state.apply('m', mine))).toBeInstanceOf(ApplyConflictError);
        expect(equalJson(state.live as JsonObject, before as JsonObject)).toBe(true);
      }),
    );
  });
});
