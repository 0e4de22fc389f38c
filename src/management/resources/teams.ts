import { teamKind } from '../../api/management/v1/team.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import { checkFieldPermissions } from '../field-permissions.ts';
import { groupErrors } from '../rules/group-errors.ts';
import { ownerErrors } from '../rules/owner-errors.ts';

export function teamResource(): StoredResource {
  return defineResource({
    ...teamKind,
    hasStatus: false,
    gracePeriods: true,
    prepare: (draft, context) => checkFieldPermissions(teamKind, draft, context),
    validate: ({ object }) => [...ownerErrors(object.spec?.owner, 'spec.owner'), ...groupErrors(object.spec?.groups)],
  });
}
