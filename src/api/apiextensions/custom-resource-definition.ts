import { textAt } from '../../lib/json-path.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';
import { indexPath } from '../schema/field-path.ts';
import { shapeSchema } from './shape-schema.ts';

const texts = (description: string) => t.optional(t.array(t.string(), { listType: 'atomic', description }));

const names = (description: string) =>
  t.object(
    {
      plural: t.optional(t.string({ description: 'The name in paths, in the plural and in lower case.' })),
      singular: t.optional(t.string({ description: 'The same in the singular; the kind in lower case by default.' })),
      shortNames: texts('Names that are quicker to type.'),
      kind: t.optional(t.string({ description: 'The kind of the objects, in the singular and in camel case.' })),
      listKind: t.optional(t.string({ description: 'The kind of a list of them; the kind with List by default.' })),
      categories: texts('Groups of kinds under which clients show these objects too, such as all.'),
    },
    { description },
  );

const version = t.object({
  name: t.optional(t.string({ description: 'The version as in paths: v1, v2beta1.' })),
  served: t.optional(t.boolean({ description: 'Whether clients can use this version.' })),
  storage: t.optional(t.boolean({ description: 'Whether objects are stored in this version: true for exactly one.' })),
  deprecated: t.optional(t.boolean({ description: 'Whether whoever uses this version is warned.' })),
  deprecationWarning: t.optional(t.string({ description: 'The text of that warning.' })),
  schema: t.optional(
    t.object(
      {
        openAPIV3Schema: t.optional(t.preserved({ description: 'A structural schema in the words of OpenAPI v3.' })),
      },
      { description: 'What the objects hold; used to validate, default and prune them.' },
    ),
  ),
  subresources: t.optional(
    t.object(
      {
        status: t.optional(t.object({}, { description: 'Makes status a part that is written on its own.' })),
        scale: t.optional(
          t.object(
            {
              specReplicasPath: t.optional(t.string({ description: 'Where the wanted number stands, below .spec.' })),
              statusReplicasPath: t.optional(
                t.string({ description: 'Where the actual number stands, below .status.' }),
              ),
              labelSelectorPath: t.optional(t.string({ description: 'Where a label selector stands as text.' })),
            },
            { description: 'Makes the objects scalable.' },
          ),
        ),
      },
      { description: 'Parts of the objects that have paths of their own.' },
    ),
  ),
  additionalPrinterColumns: t.optional(
    t.array(
      t.object({
        name: t.optional(t.string({ description: 'The head of the column.' })),
        type: t.optional(t.string({ description: 'The type of its cells: integer, number, string, boolean, date.' })),
        format: t.optional(t.string({ description: 'A format of that type.' })),
        description: t.optional(t.string({ description: 'What the column shows.' })),
        priority: t.optional(t.integer({ format: 'int32', description: 'Above 0: shown in wide tables only.' })),
        jsonPath: t.optional(t.string({ description: 'Where the value stands in an object.' })),
      }),
      { listType: 'atomic', description: 'The columns of tables besides the name; the age where there are none.' },
    ),
  ),
  selectableFields: t.optional(
    t.array(t.object({ jsonPath: t.optional(t.string({ description: 'A field, with a leading dot.' })) }), {
      listType: 'atomic',
      description: 'Fields that field selectors can name, eight at most.',
    }),
  ),
});

const conversion = t.object(
  {
    strategy: t.optional(t.string({ description: 'None: only the apiVersion differs between versions.' })),
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
          conversionReviewVersions: texts('Versions of the review that the webhook understands.'),
        },
        { description: 'Who converts, with the strategy Webhook.' },
      ),
    ),
  },
  { description: 'How objects get from one version to another.' },
);

const condition = t.object({
  type: t.optional(t.string({ description: 'What it is about: NamesAccepted, Established, Terminating.' })),
  status: t.optional(t.string({ description: 'True, False or Unknown.' })),
  lastTransitionTime: t.optional(t.timestamp({ description: 'When the status last changed.' })),
  reason: t.optional(t.string({ description: 'A word for programs.' })),
  message: t.optional(t.string({ description: 'A sentence for people.' })),
  observedGeneration: t.optional(t.integer({ description: 'The generation that was looked at.' })),
});

/** A kind that is defined at run time. Members are in the order of the Go structs. */
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
  description: 'The definition of a kind that this API serves besides its own: its names, versions and schemas.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            group: t.optional(t.string({ description: 'The API group of the kind.' })),
            names: t.optional(names('What the kind is called.')),
            scope: t.optional(t.string({ description: 'Cluster or Namespaced.' })),
            versions: t.optional(
              t.array(version, { listType: 'atomic', description: 'The versions in which the kind is served.' }),
            ),
            conversion: t.optional(conversion),
            preserveUnknownFields: t.optional(
              t.boolean({ description: 'Must be false: a schema says which unknown members stay.' }),
            ),
          },
          { description: 'What is defined.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            conditions: t.optional(
              t.array(condition, {
                mapKeys: ['type'],
                description: 'Whether the kind is served, and if not, why.',
              }),
            ),
            acceptedNames: t.optional(names('The names that the kind has; wanted names can be in use.')),
            storedVersions: texts('Every version in which objects may lie in the store.'),
            observedGeneration: t.optional(t.integer({ description: 'The generation that was looked at.' })),
          },
          { description: 'What became of it.' },
        ),
      ),
    }),
  ),
  columns: [
    column('Created At', (object) => textAt(object as JsonValue, 'metadata', 'creationTimestamp'), {
      type: 'date',
      verbatim: true,
      description: 'When the object was created.',
    }),
  ],
  shape: shapeSchemas,
};

/** Normalizes the schemas in the definition, which no schema can describe. */
function shapeSchemas(object: JsonObject): string[] {
  const unknown: string[] = [];
  const versions = isJsonObject(object.spec) && Array.isArray(object.spec.versions) ? object.spec.versions : [];
  for (const [index, version] of versions.entries()) {
    const schema = isJsonObject(version) ? version.schema : undefined;
    if (!isJsonObject(schema) || !isJsonObject(schema.openAPIV3Schema)) continue;
    const path = `${indexPath('spec.versions', index)}.schema.openAPIV3Schema`;
    schema.openAPIV3Schema = shapeSchema(schema.openAPIV3Schema, path, unknown);
  }
  return unknown;
}
