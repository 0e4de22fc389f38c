import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { t } from '../../schema/schema-builder.ts';

const schema = t.object({
  accessKeys: t.array(t.preserved({ description: 'An AccessKey.' }), {
    description: 'Access keys of the user or team, without the key values.',
  }),
});

export const userAccessKeysKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'UserAccessKeys',
  plural: 'useraccesskeys',
  singular: 'useraccesskeys',
  namespaced: false,
  description: 'The access keys of a user.',
  schema,
});

export const teamAccessKeysKind = defineKind({
  ...userAccessKeysKind,
  kind: 'TeamAccessKeys',
  plural: 'teamaccesskeys',
  singular: 'teamaccesskeys',
  description: 'The access keys of a team.',
  schema,
});
