import { type Static, t } from '../../schema/build.ts';
import { accessRuleSchema } from './access.ts';

const metadata = (of: string) =>
  t.optional(
    t.object(
      {
        labels: t.optional(t.map(t.string(), { description: 'Labels to add.' })),
        annotations: t.optional(t.map(t.string(), { description: 'Annotations to add.' })),
      },
      { description: `Labels and annotations for ${of}.` },
    ),
  );

/** What a virtual cluster is made from: inline in an instance, in a template, or in a version of a template. */
export const templateDefinitionSchema = t.object(
  {
    metadata: metadata('the virtual cluster'),
    instanceTemplate: t.optional(
      t.object(
        { metadata: metadata('the virtual cluster instance') },
        { description: 'What is added to the virtual cluster instance itself.' },
      ),
    ),
    objects: t.optional(
      t.string({ description: 'YAML documents that are applied inside the virtual cluster once it is ready.' }),
    ),
    helmRelease: t.optional(
      t.object(
        {
          chart: t.optional(
            t.object(
              {
                name: t.optional(t.string({ description: 'Name of the chart; it must be on the list of the admins.' })),
                repo: t.optional(t.string({ description: 'Repository that holds the chart.' })),
                version: t.optional(t.string({ description: 'Version of the chart.' })),
              },
              { description: 'The chart that is installed on a Kubernetes host.' },
            ),
          ),
          values: t.optional(t.string({ description: 'Values of the chart, as YAML text.' })),
        },
        { description: 'How the virtual cluster is installed on a Kubernetes host.' },
      ),
    ),
    access: t.optional(
      t.object(
        {
          defaultClusterRole: t.optional(
            t.string({ description: 'Role of everybody with access for whom no rule matches; empty: cluster-admin.' }),
          ),
          rules: t.optional(t.array(accessRuleSchema, { description: 'Roles of particular users and teams.' })),
        },
        { description: 'Which roles people have inside the virtual cluster.' },
      ),
    ),
    spaceTemplate: t.optional(
      t.object(
        {
          metadata: metadata('the host namespace'),
          objects: t.optional(
            t.string({
              description: 'YAML documents of namespaced kinds that are applied in the host namespace.',
            }),
          ),
        },
        { description: 'The namespace on the host that the virtual cluster runs in.' },
      ),
    ),
  },
  { description: 'What the virtual cluster is made from.' },
);

export type TemplateDefinition = Static<typeof templateDefinitionSchema>;

export const parameterTypes = ['string', 'multiline', 'boolean', 'number', 'password'] as const;
export type ParameterType = (typeof parameterTypes)[number];

export const parametersSchema = t.array(
  t.object({
    variable: t.string({
      description: 'Where the value goes: foo, or foo.bar for nested values. Templates read it as .Values.<variable>.',
    }),
    label: t.optional(t.string({ description: 'Name of the parameter, for people.' })),
    description: t.optional(t.string({ description: 'What the parameter does.' })),
    type: t.optional(t.enumOf(parameterTypes, { description: 'Type of the value; absent: string.' })),
    options: t.optional(t.array(t.string(), { description: 'The values that are allowed; empty: all.' })),
    min: t.optional(t.integer({ description: 'The smallest number that is allowed.' })),
    max: t.optional(t.integer({ description: 'The largest number that is allowed.' })),
    required: t.optional(t.boolean({ description: 'Whether a value must be given where there is no default.' })),
    defaultValue: t.optional(t.string({ description: 'The value that is used when none is given.' })),
    validation: t.optional(t.string({ description: 'A regular expression that the value must match.' })),
    invalidation: t.optional(t.string({ description: 'A regular expression that the value must not match.' })),
    section: t.optional(t.string({ description: 'Heading under which forms show the parameter.' })),
  }),
  { description: 'What users of the template can set.' },
);

export type TemplateParameter = Static<typeof parametersSchema>[number];
