import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../lib/json-value.ts';
import { referencePrefix } from './component-names.ts';

/** Swagger 2.0 of the whole API, made from the documents of its group versions (rule OAPI-14). */
export function swaggerDocument(documents: readonly JsonObject[], serverVersion: string): JsonObject {
  const paths: JsonObject = {};
  const definitions: JsonObject = {};
  for (const document of documents) {
    for (const [path, item] of members(document.paths)) paths[path] = pathItem(item);
    const schemas = isJsonObject(document.components) ? document.components.schemas : {};
    for (const [name, schema] of members(schemas)) {
      definitions[name] = joinedKinds(definitions[name], schemaOf(schema));
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

/** Options and watch events stand in every document, each time with that document's group version. */
export function joinedKinds(known: JsonValue | undefined, schema: JsonObject): JsonObject {
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
  const answers = members(responses).map(([code, response]): [string, JsonValue] => {
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
    responses: Object.fromEntries(answers),
  };
}

function firstSchema(types: readonly [string, JsonValue][]): JsonObject {
  const first = types[0]?.[1];
  return isJsonObject(first) && first.schema !== undefined ? { schema: schemaOf(first.schema) } : {};
}

/** In v2 a parameter's type stands in the parameter itself. */
function parameters(listed: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(listed)) return [];
  return listed
    .filter(isJsonObject)
    .map(({ schema, ...rest }) => ({ ...rest, ...(isJsonObject(schema) ? schema : {}) }));
}

/** Words of v3 that v2 does not know. */
const unknownWords = new Set(['nullable', 'anyOf', 'oneOf', 'not']);

function schemaOf(schema: JsonValue): JsonObject {
  const turned: JsonObject = {};
  for (const [word, member] of members(schema)) {
    if (unknownWords.has(word)) continue;
    if (word === '$ref' && typeof member === 'string') turned.$ref = member.replace(referencePrefix, '#/definitions/');
    else if (word === 'properties') turned.properties = eachSchema(member);
    else if (word === 'allOf' && Array.isArray(member)) Object.assign(turned, ...member.map(schemaOf));
    else if (word === 'items' || word === 'additionalProperties') {
      setMember(turned, word, isJsonObject(member) ? schemaOf(member) : member);
    } else setMember(turned, word, member);
  }
  // Where one of several plain types is meant, v2 is told the first.
  const [first] = isJsonObject(schema) && Array.isArray(schema.oneOf) ? schema.oneOf : [];
  if (turned.type === undefined && isJsonObject(first) && first.type !== undefined) turned.type = first.type;
  // Beside a reference v2 reads nothing but a description.
  if (turned.$ref === undefined) return turned;
  return { ...(turned.description === undefined ? {} : { description: turned.description }), $ref: turned.$ref };
}

function eachSchema(properties: JsonValue): JsonObject {
  const turned: JsonObject = {};
  for (const [name, schema] of members(properties)) setMember(turned, name, schemaOf(schema));
  return turned;
}

function members(value: JsonValue | undefined): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
