import { type Static, t } from '../../schema/schema-builder.ts';

/** Schema of the owner of an object: a user or a team, never both. */
export const ownerSchema = t.object(
  {
    user: t.optional(t.string({ description: 'Name of the user that owns the object.' })),
    team: t.optional(t.string({ description: 'Name of the team that owns the object.' })),
  },
  { description: 'User or team that owns the object. In a project or an instance it defaults to the creator.' },
);

export type Owner = Static<typeof ownerSchema>;
