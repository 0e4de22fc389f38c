import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { kubeConfigSchema } from './virtual-cluster-instance-kube-config.ts';

export const spaceInstanceKubeConfigKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'SpaceInstanceKubeConfig',
  plural: 'spaceinstancekubeconfigs',
  singular: 'spaceinstancekubeconfig',
  namespaced: true,
  confidential: true,
  description: 'A kubeconfig that gives access to a space.',
  schema: kubeConfigSchema,
});
