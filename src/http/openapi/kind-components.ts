import type { ResourceKind } from '../../api/resource.ts';
import { cloneJson, type JsonObject } from '../../lib/json-value.ts';
import { componentName, metaName, reference, referringMember } from './component-names.ts';

const apiVersionMember: JsonObject = {
  type: 'string',
  description: 'The version of the form in which this object is written, as group/version.',
};

const kindMember: JsonObject = {
  type: 'string',
  description: 'What this object is; the path of the request implies it.',
};

/** A kind as a component: the schema that it is validated by, and the three members that every object has (OAPI-13). */
export function kindComponent(kind: ResourceKind): JsonObject {
  const { properties, ...rest } = cloneJson(kind.schema as JsonObject);
  const described: JsonObject = kind.description === undefined ? {} : { description: kind.description };
  return {
    ...described,
    ...rest,
    type: 'object',
    properties: {
      apiVersion: apiVersionMember,
      kind: kindMember,
      metadata: referringMember(metaName('ObjectMeta'), 'The name, the labels, and what the server keeps about it.'),
      ...(properties as JsonObject | undefined),
    },
    'x-kubernetes-group-version-kind': [kindOf(kind)],
    ...(kind.selectableFields === undefined || kind.builtIn === true
      ? {}
      : { 'x-kubernetes-selectable-fields': kind.selectableFields.map((fieldPath) => ({ fieldPath })) }),
  };
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
    'x-kubernetes-group-version-kind': [{ ...kindOf(kind), kind: `${kind.kind}List` }],
  };
}

export function listComponentName(kind: ResourceKind): string {
  return `${componentName(kind)}List`;
}

export function kindOf({ group, version, kind }: ResourceKind): { group: string; kind: string; version: string } {
  return { group, kind, version };
}
