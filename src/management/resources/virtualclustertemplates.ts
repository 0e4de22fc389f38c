import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { checkFieldPermissions } from '../field-permissions.ts';
import { ownerErrors } from '../rules/owner-errors.ts';
import { templateSpecErrors } from '../rules/template-errors.ts';

export function virtualClusterTemplateResource({ settings }: Pick<ManagementDependencies, 'settings'>): StoredResource {
  return defineResource({
    ...virtualClusterTemplateKind,
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    prepare: (draft, context) => checkFieldPermissions(virtualClusterTemplateKind, draft, context),
    validate: ({ object }) => [
      ...ownerErrors(object.spec?.owner, 'spec.owner'),
      ...templateSpecErrors(object.spec, settings),
    ],
  });
}
