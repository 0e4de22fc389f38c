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
  description: 'A cluster role binding gives the rights of a cluster role to somebody, everywhere.',
  schema: bindingSchema,
  columns: bindingColumns,
};
