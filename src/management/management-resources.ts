import type { StoredResource } from '../registry/resource.ts';
import { withActivity } from './activity/record-activity.ts';
import { projectConfigMapResource, projectSecretResource } from './config-objects/config-object-resource.ts';
import type { ManagementDependencies } from './dependencies.ts';
import { requireWritePermission } from './field-permissions.ts';
import { accessKeyResource } from './resources/accesskeys.ts';
import { clusterResource } from './resources/clusters.ts';
import { priceListResource } from './resources/price-lists.ts';
import { projectResource } from './resources/projects.ts';
import { spaceInstanceResource } from './resources/spaceinstances.ts';
import { teamResource } from './resources/teams.ts';
import { spaceTemplateResource, virtualClusterTemplateResource } from './resources/templates.ts';
import { userResource } from './resources/users.ts';
import { virtualClusterInstanceResource } from './resources/virtualclusterinstances.ts';
import { withSizeLimits } from './rules/size-limits.ts';
import { withKnownNames } from './rules/unknown-names.ts';
import { projectWebhookResource } from './webhooks/project-webhooks.ts';

/** Returns the stored kinds of the management API, except kinds that every control plane has, such as namespaces. */
export function managementResources(dependencies: ManagementDependencies): readonly StoredResource[] {
  const resources = [
    ...[
      virtualClusterInstanceResource(dependencies),
      spaceInstanceResource(dependencies),
      projectResource(dependencies),
      clusterResource(dependencies),
      virtualClusterTemplateResource(dependencies),
      spaceTemplateResource(dependencies),
      userResource(dependencies),
      teamResource(),
      priceListResource(),
      projectWebhookResource(dependencies),
    ].map((resource) => withActivity(guarded(withKnownNames(resource, dependencies.state)), dependencies)),
    accessKeyResource(dependencies),
    ...[projectSecretResource(dependencies), projectConfigMapResource(dependencies)].map(guarded),
  ];
  return resources.map(withSizeLimits);
}

/** Checks the permission to write an object again when the body of the request has arrived. */
function guarded(resource: StoredResource): StoredResource {
  return {
    ...resource,
    guardWrite: (record, context, subresource) => requireWritePermission(resource, record, context, subresource),
  };
}
