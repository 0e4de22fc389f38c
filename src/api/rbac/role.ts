import { createdAtColumn } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';
import { policyRules, rbacGroup } from './policy-rule.ts';

export const roleKind: ResourceKind = {
  group: rbacGroup,
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  namespaced: true,
  builtIn: true,
  description:
    'A role is a set of permissions in one namespace. Role bindings grant it to users, groups and service accounts.',
  schema: asSchema(t.object({ rules: t.optional(policyRules('The permissions of the role.')) })),
  columns: [createdAtColumn],
};
