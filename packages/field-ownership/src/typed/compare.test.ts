import { cloneJson, deepFreeze, equalJson, getMember, type JsonObject, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet } from '../field-set/field-set.ts';
import { type FieldPath, fieldElement, printPath } from '../field-set/path-element.ts';
import { type Comparison, compareTyped } from './compare.ts';
import { type Shape, shapeOf } from './shape.ts';
import type { TrackedSchema } from './tracked-schema.ts';
import { asList, asMap, itemElement, memberShape, shapePartFor, UnkeyedItemError } from './typed.ts';

const schema: TrackedSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        plain: { type: 'array', items: { type: 'object' } },
        keyed: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a'],
          items: { type: 'object', properties: { a: { type: 'string' }, set: { type: 'string' } } },
        },
      },
    },
  },
};

const shape = shapeOf({ schema });

const names = fc.constantFrom('spec', 'a', 'free', 'whole', 'set', 'plain', 'keyed', '__proto__', 'zz');
const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<JsonValue>(null, true, 5, 'x', 'y', {}, []),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;
const objects = fc.record({ spec: values }, { noNullPrototype: true }) as fc.Arbitrary<JsonObject>;

describe('compareTyped', () => {
  it('finds the same as a full traversal of both objects, even if they share parts (SSA-14, SSA-16)', () => {
    fc.assert(
      fc.property(objects, objects, fc.boolean(), (before, other, isShared) => {
        const after = isShared ? sharing(before, other) : other;
        expect(outcome(() => compareTyped(shape, before, after))).toEqual(
          outcome(() => compareEverything(before, after)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('finds no difference between an object and its copy or itself', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const frozen = deepFreeze(cloneJson(object));
        const found = outcome(() => compareTyped(shape, frozen, cloneJson(object)));
        expect(outcome(() => compareTyped(shape, frozen, frozen))).toEqual(found);
      }),
    );
  });
});

/** Returns the second object with shared members of the first object. */
function sharing(first: JsonObject, second: JsonObject): JsonObject {
  const one = first.spec;
  const other = second.spec;
  const areMaps = typeof one === 'object' && typeof other === 'object' && asMap(one) && asMap(other);
  return areMaps ? { spec: { ...(other as JsonObject), ...(one as JsonObject), a: 'changed' } } : { spec: one ?? null };
}

function outcome(compare: () => Comparison): unknown {
  try {
    const { added, modified, removed } = compare();
    return [added, modified, removed].map((set) => set.paths().map(printPath));
  } catch (error) {
    if (!(error instanceof UnkeyedItemError)) throw error;
    return error.message;
  }
}

/** The reference implementation: compares every position of both objects. */
function compareEverything(before: JsonValue, after: JsonValue): Comparison {
  const result = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareAt(shape, [before, after], [], result);
  return result;
}

type Sides = readonly [before: JsonValue | undefined, after: JsonValue | undefined];

function compareAt(at: Shape, sides: Sides, path: FieldPath, result: Comparison): void {
  const parts = new Set(sides.filter((side) => side !== undefined).map((side) => shapePartFor(at, side)));
  let leaf = false;
  for (const part of parts) {
    leaf = false;
    const maps = sides.map(asMap);
    const lists = sides.map((side) => asList(side) ?? []);
    const members = new Set(maps.flatMap((map) => Object.keys(map ?? {})));
    if (part === 'map' && at.map?.atomic === false && members.size > 0) {
      for (const name of members) {
        const [old, next] = maps.map((map) => map && getMember(map, name));
        compareAt(memberShape(at.map, name), [old, next], [...path, fieldElement(name)], result);
      }
    } else if (part === 'list' && at.list?.atomic === false && lists.flat().length > 0) {
      compareItems(at.list, lists, path, result);
    } else {
      leaf = true;
      note(sides, path, result);
    }
  }
  if (!leaf && sides.includes(undefined)) note(sides, path, result);
}

function compareItems(
  list: NonNullable<Shape['list']>,
  lists: readonly JsonValue[][],
  path: FieldPath,
  result: Comparison,
): void {
  const elements = new Map(lists.flat().map((item) => [itemElement(list, item).text, itemElement(list, item)]));
  for (const element of elements.values()) {
    const own = lists.map((items) => items.filter((item) => itemElement(list, item).text === element.text));
    const [old = [], next = []] = own;
    const here = [...path, element];
    if (old.length > 1 && next.length > 1) {
      if (!equalJson(old, next)) result.modified.insert(here);
      continue;
    }
    const single: Sides = [old.length > 1 ? undefined : old[0], next.length > 1 ? undefined : next[0]];
    if (single.some((side) => side !== undefined)) compareAt(list.item, single, here, result);
    if (old.length > 1) result.removed.insert(here);
    if (next.length > 1) result.added.insert(here);
  }
}

function note([before, after]: Sides, path: FieldPath, result: Comparison): void {
  if (before === undefined) result.added.insert(path);
  else if (after === undefined) result.removed.insert(path);
  else if (!equalJson(before, after)) result.modified.insert(path);
}
