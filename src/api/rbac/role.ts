import { column } from '../columns.ts';
import type { Column, ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';
import { policyRules, rbacGroup } from './policy-rule.ts';

/** Roles show their creation time instead of their age, as in Kubernetes. */
export const createdAtColumn: Column = column('Created At', 'metadata.creationTimestamp', {
  description: 'When the object was created.',
});

export const roleKind: ResourceKind = {
  group: rbacGroup,
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  namespaced: true,
  builtIn: true,
  description: 'A role is a set of rights in one namespace, which role bindings give to somebody.',
  schema: asSchema(t.object({ rules: t.optional(policyRules('What the role allows.')) })),
  columns: [createdAtColumn],
};
