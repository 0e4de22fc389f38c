import { canonicalJson, type JsonObject, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toFieldsV1 } from './field-set/fields-v1.ts';
import { type Managers, managerIdentity } from './managers/managers.ts';
import { releaseFields } from './managers/ownership.ts';
import { reconcileManagers } from './managers/reconcile-managers.ts';
import { object, type ThingObject, thing } from './thing.fixture.ts';
import { recordUpdate, trackUpdate } from './track-update.ts';
import { filterComparison, withoutUntracked, writableFields } from './tracked-fields.ts';
import { compareTyped } from './typed/compare.ts';
import { shapeOf } from './typed/shape.ts';

const now = '2026-01-01T00:00:00Z';
const value = fc.constantFrom('1', '2');
const spec = fc.record(
  {
    a: value,
    map: fc.dictionary(fc.constantFrom('k', 'l'), value, { noNullPrototype: true }),
    set: fc.uniqueArray(value),
    list: fc.uniqueArray(fc.record({ name: value, value }, { noNullPrototype: true }), {
      selector: ({ name }) => name,
    }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const writes = fc.array(fc.record({ manager: fc.constantFrom('a', 'b', 'c'), spec }), { minLength: 1, maxLength: 6 });

it('a write assigns its changes to the writer and removes them from other managers (SSA-14, SSA-34)', () => {
  fc.assert(
    fc.property(writes, fc.boolean(), (all, isFrozen) => {
      let live: ThingObject | undefined;
      let managers: Managers = new Map();
      for (const { manager, spec: members } of all) {
        const next = object(members as JsonObject);
        const write = { kind: thing, next, manager, subresource: '', now, ...(live === undefined ? {} : { live }) };
        const expected = bookEverything(live, next, manager, managers);
        managers = recordUpdate(write, managers);
        expect(written(managers)).toEqual(written(expected));
        const tracked = trackUpdate(write);
        expect(Object.keys(written(managers))).toHaveLength(tracked.metadata.managedFields?.length ?? 0);
        live = isFrozen ? canonicalJson(tracked as JsonValue as ThingObject) : tracked;
      }
    }),
    { numRuns: 300 },
  );
});

function written(managers: Managers): JsonObject {
  return Object.fromEntries([...managers].map(([identity, { fields }]) => [identity, toFieldsV1(fields)]));
}

/**
 * The reference implementation: removes touched fields from every manager, and adds the set or changed fields to the
 * writer.
 */
function bookEverything(live: ThingObject | undefined, next: ThingObject, manager: string, before: Managers): Managers {
  const shape = shapeOf(thing);
  const { apiVersion, kind } = next;
  const bare = ({ metadata: { managedFields: _, ...metadata }, ...rest }: ThingObject): JsonValue =>
    ({ ...rest, metadata }) as JsonValue;
  const old = live === undefined ? { apiVersion, kind } : bare(live);
  const comparison = filterComparison(compareTyped(shape, old, bare(next)), writableFields(thing, ''));
  const managers = reconcileManagers(thing, before);
  releaseFields(managers, () => comparison, undefined);
  const changed = withoutUntracked(comparison.modified.union(comparison.added));
  if (changed.isEmpty) return managers;
  const info = { manager, operation: 'Update', apiVersion, subresource: '' } as const;
  const own = managers.get(managerIdentity(info))?.fields;
  managers.set(managerIdentity(info), { ...info, fields: own === undefined ? changed : changed.union(own), time: now });
  return managers;
}
