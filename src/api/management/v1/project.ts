import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import type { TypedObject } from '../../meta.ts';
import { managementCategory, managementGroup, managementVersion, projectRoles } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { hostIsolationSchema } from '../host-isolation/host-isolation.ts';
import { accessSchema } from './access.ts';
import { conditionsSchema } from './condition.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';
import { ownerSchema } from './owner.ts';

/** The resources for which a project quota can limit the number of objects. */
export const quotaResources = ['virtualclusterinstances', 'spaceinstances'] as const;

const quota = (of: string) =>
  t.optional(
    t.map(t.intOrString(), {
      description: `Maximum number of objects of ${of}, by resource. Supported: ${quotaResources.join(', ')}.`,
    }),
  );

const memberSchema = t.object({
  kind: t.enumOf(['User', 'Team'], { description: 'Kind of the member: User or Team.' }),
  name: t.string({ description: 'Name of the user or team.', minLength: 1 }),
  clusterRole: t.enumOf([projectRoles.admin, projectRoles.user, projectRoles.viewer], {
    description: 'Role of the member in the project.',
  }),
});

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    description: t.optional(descriptionSchema('Purpose of the project.')),
    owner: t.optional(ownerSchema),
    members: t.optional(t.array(memberSchema, { description: 'Members of the project and their roles.' })),
    allowedClusters: t.optional(
      t.array(
        t.object({
          name: t.string({ description: 'Name of a connected cluster. "*" allows all clusters.', minLength: 1 }),
        }),
        {
          description: 'Clusters that instances of the project may run on. If empty, no cluster is allowed.',
        },
      ),
    ),
    allowedTemplates: t.optional(
      t.array(
        t.object({
          kind: t.optional(
            t.string({
              description: 'Kind of the template: VirtualClusterTemplate, which is the default, or SpaceTemplate.',
            }),
          ),
          name: t.string({ description: 'Name of the template. "*" allows all templates.', minLength: 1 }),
          isDefault: t.optional(
            t.boolean({ description: 'If true, instances that do not name a template use this template.' }),
          ),
        }),
        { description: 'Templates that instances of the project may use. If empty, no template is allowed.' },
      ),
    ),
    requireTemplate: t.optional(
      t.object(
        {
          disabled: t.optional(
            t.boolean({
              description:
                'If false, each new instance must name a template. If true, instances that do not name one use the default template.',
              default: true,
            }),
          ),
        },
        { description: 'Controls whether instances must name a template.' },
      ),
    ),
    quotas: t.optional(
      t.object(
        { project: quota('the whole project'), user: quota('each user or team') },
        { description: 'Limits on the number of instances. The defaults of the server replace absent ones.' },
      ),
    ),
    hostIsolation: t.optional(
      hostIsolationSchema("the project's namespaces on clusters, if it is stricter than that of the cluster,"),
    ),
    access: t.optional(accessSchema),
  },
  { description: 'Desired state of the project.' },
);

const readyDaySchema = t.object(
  {
    day: t.string({ description: 'Day in UTC, such as 2026-11-15.', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    count: t.integer({
      description: 'Number of virtual clusters that became Ready for the first time on this day.',
      minimum: 0,
    }),
    buckets: t.array(t.integer({ minimum: 0 }), {
      description:
        'Histogram of the time to Ready. Upper bounds: 5, 10, 20, 50, 100, 200, 500 ms, 1, 2, 5, 10, 20, 30 s, 1, 2, 5, 10 min. The last bucket counts longer times.',
      listType: 'atomic',
    }),
  },
  { description: 'Time to Ready of the virtual clusters that became Ready for the first time on one day.' },
);

const status = t.object(
  {
    quotas: t.optional(
      t.object(
        {
          project: t.optional(
            t.object({
              limit: t.optional(
                t.map(t.string(), { description: 'Maximum number of objects in the project, by resource.' }),
              ),
              used: t.optional(
                t.map(t.string(), { description: 'Current number of objects in the project, by resource.' }),
              ),
            }),
          ),
          user: t.optional(
            t.object({
              limit: t.optional(
                t.map(t.string(), { description: 'Maximum number of objects of each user or team, by resource.' }),
              ),
              used: t.optional(
                t.map(t.map(t.string()), {
                  description: 'Current number of objects of each user and team, by resource.',
                }),
              ),
            }),
          ),
        },
        { description: 'Quotas and their current usage.' },
      ),
    ),
    timeToReady: t.optional(
      t.array(readyDaySchema, {
        description:
          'Time from the creation of a virtual cluster until it first became Ready, per day, for the last 14 days. Deleted virtual clusters are included, imported ones are not.',
        mapKeys: ['day'],
      }),
    ),
    conditions: t.optional(conditionsSchema),
  },
  { description: 'Observed state of the project.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type ProjectSpec = Static<typeof spec>;
export type ReadyDay = Static<typeof readyDaySchema>;
export type AllowedTemplate = NonNullable<ProjectSpec['allowedTemplates']>[number];
export type ProjectMember = Static<typeof memberSchema>;

type ProjectFields = Static<typeof schema>;

function allowedNames(allowed: readonly { readonly name?: string }[] | undefined): string | undefined {
  const names = [...new Set((allowed ?? []).map(({ name = '' }) => name))].filter((name) => name !== '');
  return names.length === 0 ? undefined : names.join(',');
}

export const projectKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'Project',
  plural: 'projects',
  singular: 'project',
  categories: [managementCategory],
  namespaced: false,
  description: 'A project: a group of members, quotas, allowed clusters and allowed templates.',
  schema,
  columns: [
    column('Display Name', 'spec.displayName', { description: 'Human-readable name.' }),
    ageColumn,
    column('Members', ({ spec }: TypedObject<ProjectFields>) => spec?.members?.length ?? 0, {
      type: 'integer',
      wide: true,
      description: 'Number of users and teams that are members of the project.',
    }),
    column('Clusters', ({ spec }: TypedObject<ProjectFields>) => allowedNames(spec?.allowedClusters), {
      wide: true,
      description: 'Clusters that the project may use; * stands for all.',
    }),
    column('Templates', ({ spec }: TypedObject<ProjectFields>) => allowedNames(spec?.allowedTemplates), {
      wide: true,
      description: 'Templates that the project may use; * stands for all.',
    }),
  ],
});

export type Project = ObjectOf<typeof projectKind>;
