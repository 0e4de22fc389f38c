import type { ResourceKind } from '../resource.ts';
import { bindingColumns, bindingSchema } from './binding.ts';
import { rbacGroup } from './policy-rule.ts';

export const clusterRoleBindingKind: ResourceKind = {
  group: rbacGroup,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  namespaced: false,
  builtIn: true,
  description: 'A cluster role binding grants the permissions of a cluster role in all namespaces.',
  schema: bindingSchema,
  columns: bindingColumns,
};
