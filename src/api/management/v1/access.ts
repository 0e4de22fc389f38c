import { type Static, t } from '../../schema/schema-builder.ts';

/** The schema of `spec.access`: permissions on the object that `spec.access` grants to users and teams. */
export const accessSchema = t.array(
  t.object({
    name: t.optional(t.string({ description: 'Human-readable name of the access entry.' })),
    verbs: t.array(t.string(), {
      description: 'Verbs that are allowed: get, update, patch, delete, use. "*" allows all verbs.',
      minItems: 1,
    }),
    subresources: t.optional(
      t.array(t.string(), {
        description:
          'Subresources that the entry covers. If empty, it covers the object and the subresources that reading or using the object includes. "*" covers the object and all subresources.',
      }),
    ),
    users: t.optional(
      t.array(t.string(), { description: 'Users to whom the entry grants its verbs. "*" means every user.' }),
    ),
    teams: t.optional(t.array(t.string(), { description: 'Teams to whose members the entry grants its verbs.' })),
  }),
  { description: 'Permissions on this object for users and teams other than its owner.' },
);

export type AccessEntry = Static<typeof accessSchema>[number];

/** Schema of a rule that assigns a cluster role to users and teams inside a virtual cluster. */
export const accessRuleSchema = t.object({
  users: t.optional(
    t.array(t.string(), {
      description: 'Users that the rule applies to. "*" means everyone with access to the virtual cluster.',
    }),
  ),
  teams: t.optional(t.array(t.string(), { description: 'Teams that the rule applies to.' })),
  clusterRole: t.string({
    description: 'Cluster role that the users and teams of the rule have inside the virtual cluster.',
    minLength: 1,
  }),
});

export type AccessRule = Static<typeof accessRuleSchema>;
