import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { instanceHooks } from '../instances/instance-hooks.ts';
import { spaceRules } from '../instances/instance-rules.ts';

export function spaceInstanceResource(
  dependencies: Pick<ManagementDependencies, 'state' | 'settings'>,
): StoredResource {
  return defineResource({ ...spaceInstanceKind, ...instanceHooks(spaceRules, dependencies) });
}
