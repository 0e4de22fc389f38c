import { isJsonObject, type JsonObject } from '@flotilla/json';
import { createdAtColumn } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { indexPath } from '../schema/field-path.ts';
import { asSchema, t } from '../schema/schema-builder.ts';
import { normalizeSchema } from './normalize-schema.ts';

const texts = (description: string) => t.optional(t.array(t.string(), { listType: 'atomic', description }));

const names = (description: string) =>
  t.object(
    {
      plural: t.optional(t.string({ description: 'The plural name of the resource in paths, in lower case.' })),
      singular: t.optional(t.string({ description: 'The singular name. Defaults to the kind in lower case.' })),
      shortNames: texts('Short names of the resource.'),
      kind: t.optional(t.string({ description: 'The kind of the objects, singular and in CamelCase.' })),
      listKind: t.optional(t.string({ description: 'The kind of lists. Defaults to the kind followed by List.' })),
      categories: texts('The categories that the resource belongs to, such as all.'),
    },
    { description },
  );

const version = t.object({
  name: t.optional(t.string({ description: 'The name of the version in paths, such as v1 or v2beta1.' })),
  served: t.optional(t.boolean({ description: 'True if the API serves this version.' })),
  storage: t.optional(
    t.boolean({ description: 'True if objects are stored in this version. Exactly one version must set it.' }),
  ),
  deprecated: t.optional(
    t.boolean({ description: 'True if the version is deprecated. Clients that use it get a warning.' }),
  ),
  deprecationWarning: t.optional(t.string({ description: 'The text of the warning.' })),
  schema: t.optional(
    t.object(
      {
        openAPIV3Schema: t.optional(t.preserved({ description: 'The structural OpenAPI v3 schema of the objects.' })),
      },
      { description: 'The schema with which objects of this version are validated, defaulted and pruned.' },
    ),
  ),
  subresources: t.optional(
    t.object(
      {
        status: t.optional(t.object({}, { description: 'Enables the status subresource.' })),
        scale: t.optional(
          t.object(
            {
              specReplicasPath: t.optional(
                t.string({
                  description:
                    'The JSONPath of the field with the desired number of replicas. It must start with .spec.',
                }),
              ),
              statusReplicasPath: t.optional(
                t.string({
                  description:
                    'The JSONPath of the field with the observed number of replicas. It must start with .status.',
                }),
              ),
              labelSelectorPath: t.optional(
                t.string({ description: 'The JSONPath of the field that contains the label selector as a string.' }),
              ),
            },
            { description: 'Enables the scale subresource.' },
          ),
        ),
      },
      { description: 'The subresources that are enabled for the objects.' },
    ),
  ),
  additionalPrinterColumns: t.optional(
    t.array(
      t.object({
        name: t.optional(t.string({ description: 'The name of the column.' })),
        type: t.optional(t.string({ description: 'The type of the cells: integer, number, string, boolean or date.' })),
        format: t.optional(t.string({ description: 'The format of the type.' })),
        description: t.optional(t.string({ description: 'A description of the column.' })),
        priority: t.optional(
          t.integer({
            format: 'int32',
            description: 'Columns with priority 0 are always shown. Others are shown in wide output only.',
          }),
        ),
        jsonPath: t.optional(t.string({ description: 'The JSONPath of the value in an object.' })),
      }),
      {
        listType: 'atomic',
        description: 'The columns of kubectl get, in addition to the name. Defaults to a column with the age.',
      },
    ),
  ),
  selectableFields: t.optional(
    t.array(
      t.object({ jsonPath: t.optional(t.string({ description: 'The JSONPath of the field. It starts with a dot.' })) }),
      {
        listType: 'atomic',
        description: 'The fields that clients can use in field selectors. At most eight fields are allowed.',
      },
    ),
  ),
});

const conversion = t.object(
  {
    strategy: t.optional(
      t.string({
        description: 'The conversion strategy. With None, the versions of an object differ in apiVersion only.',
      }),
    ),
    webhook: t.optional(
      t.object(
        {
          clientConfig: t.optional(
            t.object({
              url: t.optional(t.string()),
              service: t.optional(
                t.object({
                  namespace: t.optional(t.string()),
                  name: t.optional(t.string()),
                  path: t.optional(t.string()),
                  port: t.optional(t.integer({ format: 'int32' })),
                }),
              ),
              caBundle: t.optional(t.string({ format: 'byte' })),
            }),
          ),
          conversionReviewVersions: texts('The supported versions of ConversionReview.'),
        },
        { description: 'The webhook that converts objects, if the strategy is Webhook.' },
      ),
    ),
  },
  { description: 'Controls how objects are converted between versions.' },
);

const condition = t.object({
  type: t.optional(t.string({ description: 'The type of the condition: NamesAccepted, Established or Terminating.' })),
  status: t.optional(t.string({ description: 'True, False or Unknown.' })),
  lastTransitionTime: t.optional(
    t.timestamp({ description: 'The time at which the status of the condition last changed.' }),
  ),
  reason: t.optional(t.string({ description: 'The machine-readable reason for the status.' })),
  message: t.optional(t.string({ description: 'A human-readable message.' })),
  observedGeneration: t.optional(t.integer({ description: 'The observed generation.' })),
});

/** The kind CustomResourceDefinition. The members of its schema are in the order of the Go structs. */
export const customResourceDefinitionKind: ResourceKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  builtIn: true,
  description: 'The definition of a custom resource: its names, versions and schemas.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            group: t.optional(t.string({ description: 'The API group of the kind.' })),
            names: t.optional(names('The names of the kind.')),
            scope: t.optional(t.string({ description: 'Cluster or Namespaced.' })),
            versions: t.optional(t.array(version, { listType: 'atomic', description: 'The versions of the kind.' })),
            conversion: t.optional(conversion),
            preserveUnknownFields: t.optional(
              t.boolean({
                description: 'Must be false. Use x-kubernetes-preserve-unknown-fields in the schema instead.',
              }),
            ),
          },
          { description: 'The desired state of the definition.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            conditions: t.optional(
              t.array(condition, {
                mapKeys: ['type'],
                description: 'The conditions of the definition.',
              }),
            ),
            acceptedNames: t.optional(names('The accepted names. Requested names may already be in use.')),
            storedVersions: texts('All versions in which objects may be stored.'),
            observedGeneration: t.optional(t.integer({ description: 'The observed generation.' })),
          },
          { description: 'The observed state of the definition.' },
        ),
      ),
    }),
  ),
  columns: [createdAtColumn],
  normalize: normalizeSchemas,
};

/**
 * Normalizes the OpenAPI schemas inside the definition, because the schema of CustomResourceDefinition cannot describe
 * them.
 */
function normalizeSchemas(object: JsonObject): string[] {
  const unknown: string[] = [];
  const versions = isJsonObject(object.spec) && Array.isArray(object.spec.versions) ? object.spec.versions : [];
  for (const [index, version] of versions.entries()) {
    const schema = isJsonObject(version) ? version.schema : undefined;
    if (!isJsonObject(schema) || !isJsonObject(schema.openAPIV3Schema)) continue;
    const path = `${indexPath('spec.versions', index)}.schema.openAPIV3Schema`;
    schema.openAPIV3Schema = normalizeSchema(schema.openAPIV3Schema, path, unknown);
  }
  return unknown;
}
