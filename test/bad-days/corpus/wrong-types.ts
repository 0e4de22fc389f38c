import type { SeededRandom } from '../seeded-random.ts';
import { type BadRequest, type Json, noTrace, sending, withQuery } from './bad-request.ts';
import { type Field, fieldsOf, placed, pointerTo } from './fields.ts';
import { bodyTargets, objectPath, patchTypes, type ServedKind, type World } from './world.ts';

const family = 'wrong types';

const wrongFor: Readonly<Record<string, readonly Json[]>> = {
  string: [5, true, 1.5, [], {}, ['x'], { x: 'x' }],
  integer: ['x', '5', true, 1.5, [], {}, 1e300],
  number: ['x', '5', true, [], {}],
  boolean: ['x', 'true', 0, 1, [], {}],
  array: ['x', 5, true, {}, { 0: 'x' }],
  object: ['x', 5, true, [], [{}]],
};

/** Every field of every kind with values of other types, at every place that takes a body. */
export function* wrongTypes(world: World, random: SeededRandom): Generator<BadRequest> {
  for (const kind of world.kinds) {
    for (const field of fieldsOf(world, kind.schema)) {
      // An object that may hold anything is still an object; what is in it may be anything.
      const values = wrongFor[field.type] ?? [];
      if (values.length > 0) yield* forField(world, kind, field, () => random.pick(values));
    }
  }
}

function* forField(world: World, kind: ServedKind, field: Field, wrong: () => Json): Generator<BadRequest> {
  for (const { method, path, type, sample } of bodyTargets(world, kind)) {
    const refused = isLookedAt(field, path);
    // What must be refused is sent in earnest.
    const target = refused ? path : withQuery(path, noTrace);
    const body = JSON.stringify(placed(sample, field.path, wrong()));
    yield sending(family, method, target, body, { type, refused });
  }
  if (!kind.objectMethods.includes('patch')) return;
  const operation = [{ op: 'add', path: pointerTo(field.path), value: wrong() }];
  const path = objectPath(world, kind);
  const refused = isLookedAt(field, path);
  const target = refused ? path : withQuery(path, noTrace);
  yield sending(family, 'PATCH', target, JSON.stringify(operation), { type: patchTypes.json, refused });
}

/** Status is looked at only where it is written; fields of owners that cannot be read are forgotten. */
function isLookedAt({ path }: Field, target: string): boolean {
  if (path.includes('fieldsV1')) return false;
  return (path[0] === 'status') === /\/status(\?|$)/.test(target);
}
