import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';

const integerOrString: JsonObject[] = [{ type: 'integer' }, { type: 'string' }];

/**
 * Adds the allowed types to all values of a schema that can be an integer or a string (OAPI-12). Clients support
 * `anyOf`, but not the extension `x-kubernetes-int-or-string`. Modifies the schema.
 */
export function addIntOrStringTypes(schema: JsonObject): void {
  const { properties, items, additionalProperties, anyOf, allOf } = schema;
  for (const part of [items, additionalProperties, ...(isJsonObject(properties) ? Object.values(properties) : [])]) {
    if (isJsonObject(part)) addIntOrStringTypes(part);
  }
  if (schema['x-kubernetes-int-or-string'] !== true || isIntegerOrString(anyOf)) return;
  const others = Array.isArray(allOf) ? allOf : [];
  if (isJsonObject(others[0]) && isIntegerOrString(others[0].anyOf)) return;
  if (anyOf === undefined) schema.anyOf = integerOrString.map((one) => ({ ...one }));
  else schema.allOf = [{ anyOf: integerOrString.map((one) => ({ ...one })) }, ...others];
}

function isIntegerOrString(anyOf: JsonValue | undefined): boolean {
  const types = Array.isArray(anyOf) ? anyOf.map((one) => isJsonObject(one) && one.type) : [];
  return types.length === 2 && types[0] === 'integer' && types[1] === 'string';
}
