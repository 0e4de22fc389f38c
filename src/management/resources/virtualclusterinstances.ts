import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { instanceHooks } from '../instances/instance-hooks.ts';
import { virtualClusterRules } from '../instances/instance-rules.ts';

export function virtualClusterInstanceResource(
  dependencies: Pick<ManagementDependencies, 'state' | 'settings'>,
): StoredResource {
  return defineResource({ ...virtualClusterInstanceKind, ...instanceHooks(virtualClusterRules, dependencies) });
}
