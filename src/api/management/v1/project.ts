import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion, projectRoles } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/build.ts';
import { accessSchema } from './access.ts';
import { conditionsSchema } from './condition.ts';
import { ownerSchema } from './owner.ts';

/** What a quota can be set on. */
export const quotaResources = ['virtualclusterinstances'] as const;

const quota = (of: string) =>
  t.optional(t.map(t.intOrString(), { description: `How many virtualclusterinstances ${of} may have.` }));

const memberSchema = t.object({
  kind: t.enumOf(['User', 'Team'], { description: 'Whether the member is a User or a Team.' }),
  name: t.string({ description: 'Name of the user or team.', minLength: 1 }),
  clusterRole: t.enumOf([projectRoles.admin, projectRoles.user, projectRoles.viewer], {
    description: 'What the member may do in the project.',
  }),
});

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Name to show to people.' })),
    description: t.optional(t.string({ description: 'What the project is for.' })),
    owner: t.optional(ownerSchema),
    members: t.optional(t.array(memberSchema, { description: 'Who works in the project, and as what.' })),
    allowedClusters: t.optional(
      t.array(
        t.object({ name: t.string({ description: 'Name of a connected cluster; * allows all.', minLength: 1 }) }),
        {
          description: 'Clusters that instances of the project may run on; empty: none.',
        },
      ),
    ),
    allowedTemplates: t.optional(
      t.array(
        t.object({
          kind: t.optional(
            t.string({ description: 'Kind of the template: VirtualClusterTemplate, which is also meant when absent.' }),
          ),
          name: t.string({ description: 'Name of the template; * allows all.', minLength: 1 }),
          isDefault: t.optional(t.boolean({ description: 'Whether instances that name no template get this one.' })),
        }),
        { description: 'Templates that instances of the project may use; empty: none.' },
      ),
    ),
    requireTemplate: t.optional(
      t.object(
        {
          disabled: t.optional(
            t.boolean({
              description: 'When false, whoever creates an instance must name a template; when true a default will do.',
              default: true,
            }),
          ),
        },
        { description: 'Whether instances must name a template.' },
      ),
    ),
    quotas: t.optional(
      t.object({ project: quota('the whole project'), user: quota('each user or team') }, { description: 'Limits.' }),
    ),
    access: t.optional(accessSchema),
  },
  { description: 'The project as it should be.' },
);

const readyDaySchema = t.object(
  {
    day: t.string({ description: 'The day, in UTC, such as 2026-11-15.', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    count: t.integer({ description: 'How many became Ready on it.', minimum: 0 }),
    buckets: t.array(t.integer({ minimum: 0 }), {
      description:
        'How many of them took at most 5, 10, 20, 50, 100, 200, 500 ms, 1, 2, 5, 10, 20, 30 s, 1, 2, 5, 10 min, and longer.',
      listType: 'atomic',
    }),
  },
  { description: 'How long those took that became Ready on one day.' },
);

const status = t.object(
  {
    quotas: t.optional(
      t.object(
        {
          project: t.optional(
            t.object({
              limit: t.optional(t.map(t.string(), { description: 'What is allowed.' })),
              used: t.optional(t.map(t.string(), { description: 'What is used.' })),
            }),
          ),
          user: t.optional(
            t.object({
              limit: t.optional(t.map(t.string(), { description: 'What is allowed to each.' })),
              used: t.optional(t.map(t.map(t.string()), { description: 'What each user or team uses.' })),
            }),
          ),
        },
        { description: 'Quotas and what is used of them.' },
      ),
    ),
    timeToReady: t.optional(
      t.array(readyDaySchema, {
        description:
          'How long virtual clusters of the project took from their creation until they were Ready for the first time, by day, for the last 14 days. Those that are gone are counted too, imported ones are not.',
        mapKeys: ['day'],
      }),
    ),
    conditions: t.optional(conditionsSchema),
  },
  { description: 'What the server observed.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type ProjectSpec = Static<typeof spec>;
export type ReadyDay = Static<typeof readyDaySchema>;
export type ProjectMember = Static<typeof memberSchema>;

export const projectKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'Project',
  plural: 'projects',
  singular: 'project',
  categories: [managementCategory],
  namespaced: false,
  description: 'A project: who works together, on which clusters, with which templates, within which limits.',
  schema,
  columns: [column('Display Name', 'spec.displayName', { description: 'Name to show to people.' }), ageColumn],
});

export type Project = ObjectOf<typeof projectKind>;
