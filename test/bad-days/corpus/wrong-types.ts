import type { SeededRandom } from '../seeded-random.ts';
import { type BadRequest, dryRunQuery, type Json, sending, withQuery } from './bad-request.ts';
import { type Field, fieldsOf, pointerTo, withValueAt } from './fields.ts';
import { bodyTargets, objectPath, patchTypes, type ServedApi, type ServedKind } from './served-api.ts';

const family = 'wrong types';

const wrongFor: Readonly<Record<string, readonly Json[]>> = {
  string: [5, true, 1.5, [], {}, ['x'], { x: 'x' }],
  integer: ['x', '5', true, 1.5, [], {}, 1e300],
  number: ['x', '5', true, [], {}],
  boolean: ['x', 'true', 0, 1, [], {}],
  array: ['x', 5, true, {}, { 0: 'x' }],
  object: ['x', 5, true, [], [{}]],
};

/** Every field of every kind with values of other types, at every endpoint that takes a body. */
export function* wrongTypes(servedApi: ServedApi, random: SeededRandom): Generator<BadRequest> {
  for (const kind of servedApi.kinds) {
    for (const field of fieldsOf(servedApi, kind.schema)) {
      // A field for an object with arbitrary contents must still contain an object.
      const values = wrongFor[field.type] ?? [];
      if (values.length > 0) yield* forField(servedApi, kind, field, () => random.pick(values));
    }
  }
}

function* forField(servedApi: ServedApi, kind: ServedKind, field: Field, wrong: () => Json): Generator<BadRequest> {
  for (const { method, path, type, sample } of bodyTargets(servedApi, kind)) {
    const refused = isValidated(field, path);
    // A request that must be refused is sent without dry run.
    const target = refused ? path : withQuery(path, dryRunQuery);
    const body = JSON.stringify(withValueAt(sample, field.path, wrong()));
    yield sending(family, method, target, body, { type, refused });
  }
  if (!kind.objectMethods.includes('patch')) return;
  const operation = [{ op: 'add', path: pointerTo(field.path), value: wrong() }];
  const path = objectPath(servedApi, kind);
  const refused = isValidated(field, path);
  const target = refused ? path : withQuery(path, dryRunQuery);
  yield sending(family, 'PATCH', target, JSON.stringify(operation), { type: patchTypes.json, refused });
}

/**
 * True if the write validates the field. The status is validated only by writes of the status; `fieldsV1` is never
 * validated.
 */
function isValidated({ path }: Field, target: string): boolean {
  if (path.includes('fieldsV1')) return false;
  return (path[0] === 'status') === /\/status(\?|$)/.test(target);
}
