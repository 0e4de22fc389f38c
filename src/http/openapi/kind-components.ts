import { apiVersionOf } from '../../api/meta.ts';
import { listKindOf, type ResourceKind } from '../../api/resource.ts';
import { holdsResources } from '../../api/schema/holds-resources.ts';
import { structOf } from '../../api/structs/kind-structs.ts';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { componentName, metaName, reference, referringMember } from './component-names.ts';
import { typedComponents } from './typed-components.ts';

const apiVersionMember: JsonObject = {
  type: 'string',
  description: 'The version of the form in which this object is written, as group/version.',
};

const kindMember: JsonObject = {
  type: 'string',
  description: 'What this object is; the path of the request implies it.',
};

const objectMembers: JsonObject = {
  apiVersion: apiVersionMember,
  kind: kindMember,
  metadata: referringMember(metaName('ObjectMeta'), 'The name, the labels, and what the server keeps about it.'),
};

/** The same of a resource inside another, which may have no metadata at all. */
const resourceMembers: JsonObject = {
  ...objectMembers,
  metadata: referringMember(metaName('ObjectMeta'), 'The name and the labels of the resource.', false),
};

/** A kind as components: itself and, where typed clients know it, what it is made of, by name. */
export function kindComponents(kind: ResourceKind): JsonObject {
  const name = componentName(kind);
  const its = kind.builtIn === true ? structOf(apiVersionOf(kind), kind.kind) : undefined;
  if (its === undefined) return { [name]: kindComponent(kind) };
  const components = typedComponents(its, kind.schema);
  const { properties, ...rest } = components[name] as JsonObject;
  const described: JsonObject = kind.description === undefined ? {} : { description: kind.description };
  return {
    ...components,
    [name]: {
      ...described,
      ...rest,
      properties: { ...(properties as JsonObject), ...objectMembers },
      'x-kubernetes-group-version-kind': [kindOf(kind)],
    },
  };
}

/** A kind as a component: the schema that it is validated by, and the three members that every object has (OAPI-13). */
function kindComponent(kind: ResourceKind): JsonObject {
  const schema = cloneJson(kind.schema as JsonObject);
  if (holdsResources(kind.schema)) completeResources(schema);
  const { properties, ...rest } = schema;
  const described: JsonObject = kind.description === undefined ? {} : { description: kind.description };
  return {
    ...described,
    ...rest,
    type: 'object',
    properties: withObjectMembers(properties),
    'x-kubernetes-group-version-kind': [kindOf(kind)],
    ...(kind.selectableFields === undefined || kind.builtIn === true
      ? {}
      : { 'x-kubernetes-selectable-fields': kind.selectableFields.map((fieldPath) => ({ fieldPath })) }),
  };
}

/** Whatever a schema says of these three, they are what they are in every object. */
function withObjectMembers(properties: JsonValue | undefined, members = objectMembers): JsonObject {
  return { ...members, ...(isJsonObject(properties) ? properties : {}), ...members };
}

/** Resources inside have the members of resources too, in place. */
function completeResources(schema: JsonObject): void {
  const { properties, items, additionalProperties } = schema;
  for (const part of [items, additionalProperties, ...(isJsonObject(properties) ? Object.values(properties) : [])]) {
    if (isJsonObject(part)) completeResources(part);
  }
  if (schema['x-kubernetes-embedded-resource'] !== true) return;
  schema.properties = withObjectMembers(properties, resourceMembers);
  const required = Array.isArray(schema.required) ? schema.required : [];
  schema.required = [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))];
}

export function listComponent(kind: ResourceKind): JsonObject {
  return {
    type: 'object',
    description: `A list of objects of the kind ${kind.kind}.`,
    properties: {
      apiVersion: apiVersionMember,
      items: {
        type: 'array',
        description: 'The objects.',
        items: { default: {}, allOf: [reference(componentName(kind))] },
      },
      kind: kindMember,
      metadata: referringMember(metaName('ListMeta'), 'The version of the list, and how to go on.'),
    },
    required: ['items'],
    'x-kubernetes-group-version-kind': [{ ...kindOf(kind), kind: listKindOf(kind) }],
  };
}

export function listComponentName(kind: ResourceKind): string {
  return componentName({ ...kindOf(kind), kind: listKindOf(kind) });
}

export function kindOf({ group, version, kind }: ResourceKind): { group: string; kind: string; version: string } {
  return { group, kind, version };
}
