import { type Static, t } from '../../schema/schema-builder.ts';
import { apiSets } from '../../storage/api-set.ts';
import { accessRuleSchema } from './access.ts';

/** The maximum number of labels, and of annotations, that a template adds to an object. */
const maxMetadataEntries = 500;

const metadataEntries = (description: string) =>
  t.optional(t.map(t.string(), { description, maxProperties: maxMetadataEntries }));

/** Schema of labels and annotations that a template adds to an object. */
export const addedMetadata = (of: string) =>
  t.optional(
    t.object(
      { labels: metadataEntries('Labels to add.'), annotations: metadataEntries('Annotations to add.') },
      { description: `Labels and annotations for ${of}.` },
    ),
  );

/** Schema of a virtual cluster definition: inline in an instance, in a template, or in a version of a template. */
export const templateDefinitionSchema = t.object(
  {
    metadata: addedMetadata('the virtual cluster'),
    instanceTemplate: t.optional(
      t.object(
        { metadata: addedMetadata('the virtual cluster instance') },
        { description: 'Metadata that is added to the VirtualClusterInstance object.' },
      ),
    ),
    api: t.optional(
      t.enumOf(apiSets, {
        description:
          'Set of kinds that a new virtual cluster on a built-in cluster serves. Defaults to the server setting planes.api.',
      }),
    ),
    objects: t.optional(
      t.string({ description: 'YAML documents that the server applies inside the virtual cluster after it is ready.' }),
    ),
    helmRelease: t.optional(
      t.object(
        {
          chart: t.optional(
            t.object(
              {
                name: t.optional(
                  t.string({ description: 'Name of the chart. It must be one of the charts that the admins allow.' }),
                ),
                repo: t.optional(t.string({ description: 'URL of the chart repository.' })),
                version: t.optional(t.string({ description: 'Version of the chart.' })),
              },
              { description: 'Chart that is installed on a Kubernetes host.' },
            ),
          ),
          values: t.optional(t.string({ description: 'Values of the chart, as YAML.' })),
        },
        { description: 'Helm release that installs the virtual cluster on a Kubernetes host.' },
      ),
    ),
    access: t.optional(
      t.object(
        {
          defaultClusterRole: t.optional(
            t.string({
              description: 'Cluster role of users to whom none of the rules applies. Defaults to cluster-admin.',
            }),
          ),
          rules: t.optional(
            t.array(accessRuleSchema, { description: 'Rules that assign cluster roles to certain users and teams.' }),
          ),
        },
        { description: 'Roles of users and teams inside the virtual cluster.' },
      ),
    ),
    spaceTemplate: t.optional(
      t.object(
        {
          metadata: addedMetadata('the host namespace'),
          objects: t.optional(
            t.string({
              description: 'YAML documents of namespaced kinds that the server applies in the host namespace.',
            }),
          ),
        },
        { description: 'Namespace on the host that the virtual cluster runs in.' },
      ),
    ),
  },
  { description: 'Definition of the virtual cluster.' },
);

export type TemplateDefinition = Static<typeof templateDefinitionSchema>;

export const parameterTypes = ['string', 'multiline', 'boolean', 'number', 'password'] as const;
export type ParameterType = (typeof parameterTypes)[number];

export const parametersSchema = t.array(
  t.object({
    variable: t.string({
      description: 'Path of the value: foo, or foo.bar for a nested value. Templates read it as .Values.<variable>.',
    }),
    label: t.optional(t.string({ description: 'Human-readable name of the parameter.' })),
    description: t.optional(t.string({ description: 'Description of the parameter.' })),
    type: t.optional(t.enumOf(parameterTypes, { description: 'Type of the parameter value. Defaults to string.' })),
    options: t.optional(
      t.array(t.string(), { description: 'Values that the parameter can have. If empty, all values are allowed.' }),
    ),
    min: t.optional(t.integer({ description: 'Minimum value, if the type of the parameter is number.' })),
    max: t.optional(t.integer({ description: 'Maximum value, if the type of the parameter is number.' })),
    required: t.optional(
      t.boolean({ description: 'If true and there is no default value, an instance must set the parameter.' }),
    ),
    defaultValue: t.optional(
      t.string({ description: 'Value that is used if an instance does not set the parameter.' }),
    ),
    validation: t.optional(t.string({ description: 'Regular expression (RE2) that the value must match.' })),
    invalidation: t.optional(t.string({ description: 'Regular expression (RE2) that the value must not match.' })),
    section: t.optional(t.string({ description: 'Section of the form in which the console shows the parameter.' })),
  }),
  { description: 'Parameters that instances of the template can set.' },
);

export type TemplateParameter = Static<typeof parametersSchema>[number];
