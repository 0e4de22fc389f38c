import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

const member = t.object({
  name: t.string({ description: 'Name of the user or team.' }),
  displayName: t.optional(t.string({ description: 'Human-readable name.' })),
  clusterRoles: t.array(t.string(), { description: 'Roles of the member in the project.' }),
  info: t.object(
    {
      name: t.string({ description: 'Name of the user or team.' }),
      displayName: t.optional(t.string({ description: 'Human-readable name.' })),
    },
    { description: 'The same name and human-readable name, in the field where some clients expect them.' },
  ),
});

const schema = t.object({
  users: t.array(member, { description: 'Users who are members themselves, and not only through a team.' }),
  teams: t.array(member, { description: 'Teams that are members. The users of a team have the roles of the team.' }),
});

export type ProjectMembers = Static<typeof schema>;

export const projectMembersKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ProjectMembers',
  plural: 'projectmembers',
  singular: 'projectmembers',
  namespaced: false,
  description: 'The members of a project.',
  schema,
});
