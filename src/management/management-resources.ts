import type { StoredResource } from '../registry/resource.ts';
import type { ManagementDependencies } from './dependencies.ts';
import { accessKeys } from './resources/accesskeys.ts';
import { clusters } from './resources/clusters.ts';
import { projects } from './resources/projects.ts';
import { teams } from './resources/teams.ts';
import { users } from './resources/users.ts';
import { virtualClusterInstances } from './resources/virtualclusterinstances.ts';
import { virtualClusterTemplates } from './resources/virtualclustertemplates.ts';

/**
 * Returns the stored kinds of the management API, without the kinds that every control plane has, such as namespaces.
 */
export function managementResources(dependencies: ManagementDependencies): readonly StoredResource[] {
  return [
    virtualClusterInstances(dependencies),
    projects(dependencies),
    clusters(dependencies),
    virtualClusterTemplates(dependencies),
    users(dependencies),
    teams(),
    accessKeys(dependencies),
  ];
}
