import { isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { schemaReferencePrefix } from './component-names.ts';

/** Converts OpenAPI v3 documents to one Swagger 2.0 document (rule OAPI-14). */
export function swaggerDocument(documents: readonly JsonObject[], serverVersion: string): JsonObject {
  const paths: JsonObject = {};
  const definitions: JsonObject = {};
  for (const document of documents) {
    for (const [path, item] of members(document.paths)) paths[path] = pathItem(item);
    const schemas = isJsonObject(document.components) ? document.components.schemas : {};
    for (const [name, schema] of members(schemas)) {
      definitions[name] = mergeGroupVersionKinds(definitions[name], schemaOf(schema));
    }
  }
  return {
    swagger: '2.0',
    info: { title: 'Flotilla', version: serverVersion },
    paths,
    definitions,
    securityDefinitions: {
      BearerToken: { type: 'apiKey', name: 'authorization', in: 'header', description: 'Bearer Token authentication' },
    },
    security: [{ BearerToken: [] }],
  };
}

/**
 * Adds the group version kinds of another v3 document, because each v3 document lists DeleteOptions and WatchEvent only
 * for its own group version.
 */
export function mergeGroupVersionKinds(known: JsonValue | undefined, schema: JsonObject): JsonObject {
  const name = 'x-kubernetes-group-version-kind';
  const before = isJsonObject(known) ? known[name] : undefined;
  const kinds = schema[name];
  if (!Array.isArray(before) || !Array.isArray(kinds)) return schema;
  const all = new Map([...before, ...kinds].map((kind) => [JSON.stringify(kind), kind]));
  return { ...schema, [name]: [...all.values()] };
}

function pathItem(item: JsonValue): JsonObject {
  return Object.fromEntries(
    members(item).map(([method, described]) =>
      method === 'parameters'
        ? [method, parameters(described)]
        : [method, isJsonObject(described) ? operation(described) : described],
    ),
  );
}

function operation(described: JsonObject): JsonObject {
  const { requestBody, responses, parameters: listed, ...rest } = described;
  const body = isJsonObject(requestBody) ? requestBody : undefined;
  const produced = new Set<string>();
  const convertedResponses = members(responses).map(([code, response]): [string, JsonValue] => {
    const { description = '', content } = isJsonObject(response) ? response : {};
    const types = members(content);
    for (const [type] of types) produced.add(type);
    return [code, { description, ...firstSchema(types) }];
  });
  const bodyParameter: JsonObject[] =
    body === undefined
      ? []
      : [{ name: 'body', in: 'body', required: body.required === true, ...firstSchema(members(body.content)) }];
  return {
    ...rest,
    consumes: body === undefined ? ['*/*'] : members(body.content).map(([type]) => type),
    produces: [...produced],
    schemes: ['https'],
    parameters: [...bodyParameter, ...parameters(listed)],
    responses: Object.fromEntries(convertedResponses),
  };
}

function firstSchema(types: readonly [string, JsonValue][]): JsonObject {
  const first = types[0]?.[1];
  return isJsonObject(first) && first.schema !== undefined ? { schema: schemaOf(first.schema) } : {};
}

/** Converts parameters. In Swagger 2.0, the type is part of the parameter itself instead of a separate schema. */
function parameters(listed: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(listed)) return [];
  return listed
    .filter(isJsonObject)
    .map(({ schema, ...rest }) => ({ ...rest, ...(isJsonObject(schema) ? schema : {}) }));
}

/**
 * Keywords of OpenAPI v3 schemas that Swagger 2.0 does not support, and `default`, which Kubernetes omits from its
 * document too.
 */
const unsupportedKeywords = new Set(['nullable', 'anyOf', 'oneOf', 'not', 'default']);

function schemaOf(schema: JsonValue): JsonObject {
  const converted: JsonObject = {};
  for (const [keyword, member] of members(schema)) {
    if (unsupportedKeywords.has(keyword)) continue;
    if (keyword === '$ref' && typeof member === 'string')
      converted.$ref = member.replace(schemaReferencePrefix, '#/definitions/');
    else if (keyword === 'properties') converted.properties = eachSchema(member);
    else if (keyword === 'allOf' && Array.isArray(member)) Object.assign(converted, ...member.map(schemaOf));
    else if (keyword === 'items' || keyword === 'additionalProperties') {
      setMember(converted, keyword, isJsonObject(member) ? schemaOf(member) : member);
    } else setMember(converted, keyword, member);
  }
  // Swagger 2.0 does not support a choice of types, so the first type is used.
  const [first] = isJsonObject(schema) && Array.isArray(schema.oneOf) ? schema.oneOf : [];
  if (converted.type === undefined && isJsonObject(first) && first.type !== undefined) converted.type = first.type;
  // Swagger 2.0 allows only a description next to a reference.
  if (converted.$ref === undefined) return converted;
  return {
    ...(converted.description === undefined ? {} : { description: converted.description }),
    $ref: converted.$ref,
  };
}

function eachSchema(properties: JsonValue): JsonObject {
  const converted: JsonObject = {};
  for (const [name, schema] of members(properties)) setMember(converted, name, schemaOf(schema));
  return converted;
}

function members(value: JsonValue | undefined): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
