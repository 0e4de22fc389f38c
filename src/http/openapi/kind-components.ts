import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { apiVersionOf } from '../../api/meta.ts';
import { listKindOf, type ResourceKind } from '../../api/resource.ts';
import { hasEmbeddedResources } from '../../api/schema/has-embedded-resources.ts';
import { goStructOf } from '../../api/structs/kind-structs.ts';
import { componentName, metaComponentName, referenceProperty, schemaReference } from './component-names.ts';
import { addIntOrStringTypes } from './int-or-string.ts';
import { preservesUnknownFields, toSwaggerSchema } from './swagger-schema.ts';
import { typedComponents } from './typed-components.ts';

const apiVersionMember: JsonObject = {
  type: 'string',
  description: 'APIVersion defines the version of the schema of this object, as group/version.',
};

const kindMember: JsonObject = {
  type: 'string',
  description: 'Kind is a string that names the type of this object. The request path implies it.',
};

const objectMembers: JsonObject = {
  apiVersion: apiVersionMember,
  kind: kindMember,
  metadata: referenceProperty(metaComponentName('ObjectMeta'), "Standard object's metadata."),
};

/** The properties that every embedded resource has. The property `metadata` is optional. */
const resourceMembers: JsonObject = {
  ...objectMembers,
  metadata: referenceProperty(
    metaComponentName('ObjectMeta'),
    "Standard object's metadata of the embedded resource.",
    false,
  ),
};

/** The version of the OpenAPI specification for which a component is made. */
export type OpenApiVersion = 'v2' | 'v3';

/** Returns the OpenAPI components of a kind by name: the kind and, if it is built in, the Go structs that it uses. */
export function kindComponents(kind: ResourceKind, openApi: OpenApiVersion = 'v3'): JsonObject {
  const name = componentName(kind);
  const struct = kind.builtIn === true ? goStructOf(apiVersionOf(kind), kind.kind) : undefined;
  if (struct === undefined) return { [name]: openApi === 'v2' ? swaggerComponent(kind) : kindComponent(kind) };
  const components = typedComponents(struct, kind.schema);
  const { properties, ...rest } = components[name] as JsonObject;
  const described: JsonObject = kind.description === undefined ? {} : { description: kind.description };
  return {
    ...components,
    [name]: {
      ...described,
      ...rest,
      properties: { ...(properties as JsonObject), ...objectMembers },
      'x-kubernetes-group-version-kind': [groupVersionKindOf(kind)],
    },
  };
}

/**
 * Returns a kind's OpenAPI v2 component. If a kind preserves unknown fields at its root, the component has no
 * properties, not even apiVersion: if any were listed, kubectl would reject all other fields (OAPI-14).
 */
function swaggerComponent(kind: ResourceKind): JsonObject {
  const schema = kind.schema as JsonObject;
  return preservesUnknownFields(schema)
    ? { type: 'object', ...kindExtensions(kind) }
    : kindComponent(kind, toSwaggerSchema(schema), (embedded) => !preservesUnknownFields(embedded));
}

/**
 * Returns a kind's OpenAPI component: its schema plus apiVersion, kind and metadata (rule OAPI-13). Each embedded
 * resource for which `isCompleted` returns true also gets these three members.
 */
function kindComponent(
  kind: ResourceKind,
  own = kind.schema as JsonObject,
  isCompleted: (embedded: JsonObject) => boolean = () => true,
): JsonObject {
  const schema = cloneJson(own);
  addIntOrStringTypes(schema);
  if (hasEmbeddedResources(kind.schema)) completeResources(schema, isCompleted);
  const { properties, ...rest } = schema;
  const described: JsonObject = kind.description === undefined ? {} : { description: kind.description };
  return {
    ...described,
    ...rest,
    type: 'object',
    properties: withObjectMembers(properties),
    ...kindExtensions(kind),
  };
}

function kindExtensions(kind: ResourceKind): JsonObject {
  return {
    'x-kubernetes-group-version-kind': [groupVersionKindOf(kind)],
    ...(kind.selectableFields === undefined || kind.builtIn === true
      ? {}
      : { 'x-kubernetes-selectable-fields': kind.selectableFields.map((fieldPath) => ({ fieldPath })) }),
  };
}

/** Adds apiVersion, kind and metadata to a schema's properties, and replaces these properties if they exist. */
function withObjectMembers(properties: JsonValue | undefined, members = objectMembers): JsonObject {
  return { ...members, ...(isJsonObject(properties) ? properties : {}), ...members };
}

/** Adds apiVersion, kind and metadata to the embedded resources of a schema. Modifies the schema. */
function completeResources(schema: JsonObject, isCompleted: (embedded: JsonObject) => boolean): void {
  const { properties, items, additionalProperties } = schema;
  for (const part of [items, additionalProperties, ...(isJsonObject(properties) ? Object.values(properties) : [])]) {
    if (isJsonObject(part)) completeResources(part, isCompleted);
  }
  if (schema['x-kubernetes-embedded-resource'] !== true || !isCompleted(schema)) return;
  schema.properties = withObjectMembers(properties, resourceMembers);
  const required = Array.isArray(schema.required) ? schema.required : [];
  schema.required = [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))];
}

export function listComponent(kind: ResourceKind): JsonObject {
  return {
    type: 'object',
    description: `A list of ${kind.kind} objects.`,
    properties: {
      apiVersion: apiVersionMember,
      items: {
        type: 'array',
        description: 'The objects.',
        items: { default: {}, allOf: [schemaReference(componentName(kind))] },
      },
      kind: kindMember,
      metadata: referenceProperty(metaComponentName('ListMeta'), 'Standard list metadata.'),
    },
    required: ['items'],
    'x-kubernetes-group-version-kind': [{ ...groupVersionKindOf(kind), kind: listKindOf(kind) }],
  };
}

export function listComponentName(kind: ResourceKind): string {
  return componentName({ ...kind, kind: listKindOf(kind) });
}

export function groupVersionKindOf({ group, version, kind }: ResourceKind): {
  group: string;
  kind: string;
  version: string;
} {
  return { group, kind, version };
}
