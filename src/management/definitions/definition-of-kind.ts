import { cloneJson, deepFreeze, type JsonObject, type JsonValue } from '@flotilla/json';
import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import type { Condition } from '../../api/conditions.ts';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { listKindOf, type ResourceKind } from '../../api/resource.ts';
import { toStoredForm } from '../../api/structs/printed-form.ts';

/** Returns the CustomResourceDefinition that describes a kind of the management API, frozen. */
export function definitionOfKind(kind: ResourceKind, { hasStatus }: { readonly hasStatus: boolean }): KubeObject {
  const { group, version, plural } = kind;
  const names = namesOf(kind);
  const definition: JsonObject = {
    kind: customResourceDefinitionKind.kind,
    apiVersion: apiVersionOf(customResourceDefinitionKind),
    metadata: { name: `${plural}.${group}`, generation: 1 },
    spec: {
      group,
      names,
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      versions: [versionOf(kind, hasStatus)],
      conversion: { strategy: 'None' },
    },
    status: { conditions, acceptedNames: names, storedVersions: [version] },
  };
  customResourceDefinitionKind.normalize?.(definition);
  return deepFreeze(toStoredForm(definition as KubeObject) as JsonValue) as KubeObject;
}

const conditions: Condition[] = [
  { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  },
];

function namesOf(kind: ResourceKind): JsonObject {
  const { plural, singular, shortNames, categories } = kind;
  return {
    plural,
    singular,
    ...(shortNames === undefined ? {} : { shortNames: [...shortNames] }),
    kind: kind.kind,
    listKind: listKindOf(kind),
    ...(categories === undefined ? {} : { categories: [...categories] }),
  };
}

function versionOf(kind: ResourceKind, hasStatus: boolean): JsonObject {
  const columns = printerColumnsOf(kind);
  const { selectableFields = [] } = kind;
  return {
    name: kind.version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schemaOf(kind) },
    ...(hasStatus ? { subresources: { status: {} } } : {}),
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
    ...(selectableFields.length === 0
      ? {}
      : { selectableFields: selectableFields.map((path) => ({ jsonPath: `.${path}` })) }),
  };
}

/**
 * Returns the schema of the whole object. The schema of a kind describes neither the type nor the metadata of objects,
 * so both are added here.
 */
function schemaOf({ schema, description }: ResourceKind): JsonObject {
  const { properties, ...rules } = cloneJson(schema as JsonObject);
  return {
    ...rules,
    ...(description === undefined ? {} : { description }),
    properties: {
      apiVersion: { type: 'string', description: 'The API version of this object, as group/version.' },
      kind: { type: 'string', description: 'The kind of this object.' },
      metadata: { type: 'object' },
      ...(properties as JsonObject | undefined),
    },
  };
}

/**
 * Returns the columns that show a field. Computed columns are omitted, because a CustomResourceDefinition cannot
 * describe them.
 */
function printerColumnsOf({ columns = [] }: ResourceKind): JsonObject[] {
  return columns.flatMap(({ name, type, description, priority = 0, path }) =>
    path === undefined
      ? []
      : [
          {
            name,
            type,
            ...(description === undefined ? {} : { description }),
            ...(priority === 0 ? {} : { priority }),
            jsonPath: `.${path}`,
          },
        ],
  );
}
