import { type Static, t } from '../../schema/build.ts';

/** Who an object belongs to: a user or a team, never both. */
export const ownerSchema = t.object(
  {
    user: t.optional(t.string({ description: 'Name of the user that owns the object.' })),
    team: t.optional(t.string({ description: 'Name of the team that owns the object.' })),
  },
  { description: 'The user or the team that owns the object; absent: whoever created it.' },
);

export type Owner = Static<typeof ownerSchema>;
