import { isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';

/** Keywords of structural schemas that Swagger 2.0 does not have. */
const droppedKeywords = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable']);

export function preservesUnknownFields(schema: JsonObject): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/**
 * Returns the OpenAPI v2 schema of a custom resource (OAPI-14). Omits the type, items and properties of each value that
 * can be null or can have unknown fields, because clients would otherwise reject null and unknown fields.
 */
export function toSwaggerSchema(schema: JsonObject): JsonObject {
  const isNullable = schema.nullable === true;
  const isOpen = isNullable || preservesUnknownFields(schema);
  const converted: JsonObject = {};
  for (const [keyword, member] of Object.entries(schema)) {
    if (droppedKeywords.has(keyword)) continue;
    if (isOpen && (keyword === 'items' || keyword === 'properties')) continue;
    if (keyword === 'type' && !hasSwaggerType(schema, isOpen)) continue;
    setMember(converted, keyword, convertedMember(keyword, member));
  }
  const required = requiredMembers(schema, isOpen);
  if (required.length > 0) converted.required = required;
  else delete converted.required;
  return converted;
}

/**
 * True if the type of the schema is published. The type of an array without an item schema is not, because clients
 * cannot handle it.
 */
function hasSwaggerType(schema: JsonObject, isOpen: boolean): boolean {
  if (schema.nullable === true) return false;
  if (schema.type === 'array') return !isOpen && isJsonObject(schema.items);
  return !(isOpen && schema.type === 'object');
}

function convertedMember(keyword: string, member: JsonValue): JsonValue {
  if (!isJsonObject(member)) return member;
  if (keyword === 'items' || keyword === 'additionalProperties') return toSwaggerSchema(member);
  if (keyword !== 'properties') return member;
  const properties: JsonObject = {};
  for (const [name, property] of Object.entries(member)) {
    setMember(properties, name, isJsonObject(property) ? toSwaggerSchema(property) : property);
  }
  return properties;
}

/**
 * Returns the required properties, except those that may be null, because a client would reject null for a required
 * property.
 */
function requiredMembers({ required, properties, additionalProperties }: JsonObject, isOpen: boolean): JsonValue[] {
  if (!Array.isArray(required) || isNullableSchema(additionalProperties)) return [];
  if (isOpen || !isJsonObject(properties)) return required;
  const isNullable = (name: JsonValue) =>
    typeof name === 'string' && Object.hasOwn(properties, name) && isNullableSchema(properties[name]);
  return required.filter((name) => !isNullable(name));
}

function isNullableSchema(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && schema.nullable === true;
}
