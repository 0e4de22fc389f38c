import { type Static, t } from '../../schema/build.ts';

/** Rights on one object, given to users and teams by the object itself. */
export const accessSchema = t.array(
  t.object({
    name: t.optional(t.string({ description: 'A name for the entry, for people.' })),
    verbs: t.array(t.string(), {
      description: 'What is allowed: get, update, patch, delete, use; * allows everything.',
      minItems: 1,
    }),
    subresources: t.optional(
      t.array(t.string(), {
        description:
          'Subresources that the entry covers; empty: the object and what comes with reading or using it, * covers all of them.',
      }),
    ),
    users: t.optional(t.array(t.string(), { description: 'Users that have these rights; * means everybody.' })),
    teams: t.optional(t.array(t.string(), { description: 'Teams whose members have these rights.' })),
  }),
  { description: 'Who besides its owner may do what with this object.' },
);

export type AccessEntry = Static<typeof accessSchema>[number];

/** Which role users and teams have inside a virtual cluster. */
export const accessRuleSchema = t.object({
  users: t.optional(t.array(t.string(), { description: 'Users that the rule is for; * means everybody with access.' })),
  teams: t.optional(t.array(t.string(), { description: 'Teams that the rule is for.' })),
  clusterRole: t.string({ description: 'Cluster role that they have inside the virtual cluster.', minLength: 1 }),
});

export type AccessRule = Static<typeof accessRuleSchema>;
