import { goTypeOf } from '@flotilla/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import {
  type GoField,
  type GoFieldType,
  type GoScalarType,
  type GoStruct,
  isStruct,
} from '../../api/structs/go-struct.ts';

/**
 * Returns the reason why a document cannot be decoded into a Go struct; `undefined` if all types are correct. The
 * wording is the one that Kubernetes uses for the result of a strategic merge patch (rule PATCH-11). Kubernetes' JSON
 * decoder uses other messages.
 */
export function findStructProblem(struct: GoStruct, document: JsonObject): string | undefined {
  for (const field of struct.fields) {
    if (field.name === '') {
      const below = isStruct(field.type) ? findStructProblem(field.type, document) : undefined;
      if (below !== undefined) return below;
      continue;
    }
    const value = Object.hasOwn(document, field.name) ? document[field.name] : undefined;
    const problem = value === undefined || value === null ? undefined : fieldProblem(field, value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldProblem({ shape, type }: GoField, value: JsonValue): string | undefined {
  if (shape === 'list') {
    if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`;
    return firstProblem(value, type);
  }
  if (shape === 'map') {
    if (!isJsonObject(value)) return `cannot restore map from ${kindOf(value)}`;
    return firstProblem(Object.values(value), type);
  }
  return problemOf(type, value);
}

function firstProblem(values: readonly JsonValue[], type: GoFieldType): string | undefined {
  for (const each of values) {
    const problem = each === null ? undefined : problemOf(type, each);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(type: GoFieldType, value: JsonValue): string | undefined {
  if (typeof type === 'string') return scalarProblem(type, value);
  // A custom type, such as IntOrString, accepts several JSON types and checks the value itself.
  if (!isStruct(type)) return undefined;
  return isJsonObject(value) ? findStructProblem(type, value) : `cannot restore struct from: ${kindOf(value)}`;
}

const goKinds: Partial<Record<GoScalarType, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
};

function scalarProblem(type: GoScalarType, value: JsonValue): string | undefined {
  const wanted = goKinds[type];
  if (wanted === undefined) return undefined;
  const found = kindOf(value);
  const isNumber = found === 'int64' || found === 'float64';
  if (wanted === found || (found === 'int64' && wanted !== 'string' && wanted !== 'bool')) return undefined;
  const isConvertible = isNumber && wanted !== 'bool' && (wanted !== 'string' || found === 'int64');
  return isConvertible ? `cannot convert ${found} to ${wanted}` : `unrecognized type: ${wanted}`;
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'slice';
  return isJsonObject(value) ? 'map' : goTypeOf(value);
}
