/** The HTTP methods of a path item. Its other members, such as `parameters`, are not operations. */
const methods = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Returns the kinds of an OpenAPI document that belong to a group, by name, with schema and operations. Lists of
 * objects are not kinds of their own.
 */
export function kindsOfDocument(document, group) {
  const kinds = new Map();
  for (const schema of Object.values(document.components.schemas)) {
    const own = (schema['x-kubernetes-group-version-kind'] ?? []).find((entry) => entry.group === group);
    if (own === undefined || isForeign(schema) || isList(schema)) continue;
    kinds.set(own.kind, { kind: own.kind, version: own.version, schema, operations: [] });
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods.filter((name) => item[name] !== undefined)) {
      const { description, 'x-kubernetes-group-version-kind': owner } = item[method];
      if (owner?.group === group) kinds.get(owner.kind)?.operations.push({ method, path, description });
    }
  }
  return [...kinds.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** True for kinds such as DeleteOptions, which belong to every group. */
function isForeign(schema) {
  return schema['x-kubernetes-group-version-kind'].length > 1;
}

function isList({ properties = {} }) {
  return properties.items !== undefined && JSON.stringify(properties.metadata ?? '').includes('ListMeta');
}

/** Returns the schema to which a reference refers, with the description and default that are next to the reference. */
export function resolveSchema(schema, document) {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference === undefined) return schema;
  const { $ref, allOf, ...place } = schema;
  const target = document.components.schemas[reference.replace('#/components/schemas/', '')];
  const { 'x-kubernetes-group-version-kind': kind, ...found } = resolveSchema(target, document);
  return { ...found, ...place };
}
