import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { type Static, t } from '../../schema/build.ts';

const member = t.object({
  name: t.string({ description: 'Name of the user or team.' }),
  displayName: t.optional(t.string({ description: 'Name to show to people.' })),
  clusterRoles: t.array(t.string(), { description: 'Roles that the member has in the project.' }),
});

const schema = t.object({
  users: t.array(member, { description: 'Users that are members themselves.' }),
  teams: t.array(member, { description: 'Teams whose users are members.' }),
});

export type ProjectMembers = Static<typeof schema>;

export const projectMembersKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ProjectMembers',
  plural: 'projectmembers',
  singular: 'projectmembers',
  namespaced: false,
  description: 'Who works in a project.',
  schema,
});
