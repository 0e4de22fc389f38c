import type { StoredResource } from '../registry/resource.ts';
import type { ManagementDependencies } from './dependencies.ts';
import { accessKeyResource } from './resources/accesskeys.ts';
import { clusterResource } from './resources/clusters.ts';
import { projectResource } from './resources/projects.ts';
import { teamResource } from './resources/teams.ts';
import { userResource } from './resources/users.ts';
import { virtualClusterInstanceResource } from './resources/virtualclusterinstances.ts';
import { virtualClusterTemplateResource } from './resources/virtualclustertemplates.ts';

/**
 * Returns the stored kinds of the management API, without the kinds that every control plane has, such as namespaces.
 */
export function managementResources(dependencies: ManagementDependencies): readonly StoredResource[] {
  return [
    virtualClusterInstanceResource(dependencies),
    projectResource(dependencies),
    clusterResource(dependencies),
    virtualClusterTemplateResource(dependencies),
    userResource(dependencies),
    teamResource(),
    accessKeyResource(dependencies),
  ];
}
