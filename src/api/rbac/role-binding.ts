import type { ResourceKind } from '../resource.ts';
import { bindingColumns, bindingSchema } from './binding.ts';
import { rbacGroup } from './policy-rule.ts';

export const roleBindingKind: ResourceKind = {
  group: rbacGroup,
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  singular: 'rolebinding',
  namespaced: true,
  builtIn: true,
  description: 'A role binding grants the permissions of a role or a cluster role in its namespace.',
  schema: bindingSchema,
  columns: bindingColumns,
};
