import { type Field, type FieldType, type GoStruct, isStruct, type Scalar } from '../../api/structs/go-struct.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { goTypeOf } from '../apply/go-value.ts';

/**
 * The reason why a document is not a valid object of a Go struct, in the wording of Kubernetes for the result of a
 * strategic merge patch (rule PATCH-11): it fills the struct from values and not from JSON. `undefined` if the types
 * are correct.
 */
export function structProblem(struct: GoStruct, document: JsonObject): string | undefined {
  for (const field of struct.fields) {
    if (field.name === '') {
      const below = isStruct(field.type) ? structProblem(field.type, document) : undefined;
      if (below !== undefined) return below;
      continue;
    }
    const given = Object.hasOwn(document, field.name) ? document[field.name] : undefined;
    const problem = given === undefined || given === null ? undefined : fieldProblem(field, given);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldProblem({ shape, type }: Field, given: JsonValue): string | undefined {
  if (shape === 'list') {
    if (!Array.isArray(given)) return `cannot restore slice from ${kindOf(given)}`;
    return firstProblem(given, type);
  }
  if (shape === 'map') {
    if (!isJsonObject(given)) return `cannot restore map from ${kindOf(given)}`;
    return firstProblem(Object.values(given), type);
  }
  return problemOf(type, given);
}

function firstProblem(values: readonly JsonValue[], type: FieldType): string | undefined {
  for (const each of values) {
    const problem = each === null ? undefined : problemOf(type, each);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(type: FieldType, given: JsonValue): string | undefined {
  if (typeof type === 'string') return scalarProblem(type, given);
  // A type that accepts one of two JSON types (int-or-string) validates itself.
  if (!isStruct(type)) return undefined;
  return isJsonObject(given) ? structProblem(type, given) : `cannot restore struct from: ${kindOf(given)}`;
}

const goKinds: Partial<Record<Scalar, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
};

function scalarProblem(type: Scalar, given: JsonValue): string | undefined {
  const wanted = goKinds[type];
  if (wanted === undefined) return undefined;
  const found = kindOf(given);
  const isNumber = found === 'int64' || found === 'float64';
  if (wanted === found || (found === 'int64' && wanted !== 'string' && wanted !== 'bool')) return undefined;
  const isConvertible = isNumber && wanted !== 'bool' && (wanted !== 'string' || found === 'int64');
  return isConvertible ? `cannot convert ${found} to ${wanted}` : `unrecognized type: ${wanted}`;
}

function kindOf(given: JsonValue): string {
  if (Array.isArray(given)) return 'slice';
  return isJsonObject(given) ? 'map' : goTypeOf(given);
}
