import type { JsonObject, JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { indexPath } from '../../../api/schema/field-path.ts';
import type { StoredResource } from '../../../registry/resource.ts';
import type { StoreOf } from '../kinds/pods/admission/refuse-pod.ts';
import { listOf, memberAt } from '../rules/checks.ts';
import { allocatedDevices, statusOf } from './claim-status-rules.ts';
import { statusPermissionErrors } from './status-permissions.ts';

const label = 'resource.kubernetes.io/admin-access';

/**
 * Returns an error for the first request in a list that asks for admin access. Returns none if the namespace permits
 * admin access.
 */
function adminAccessErrors(
  items: readonly JsonValue[],
  member: readonly string[],
  path: string,
  isPermitted: () => boolean,
): FieldError[] {
  const index = items.findIndex((item) => memberAt(item, [...member, 'adminAccess']) === true);
  if (index === -1 || isPermitted()) return [];
  const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  return [forbiddenField(`${indexPath(path, index)}.adminAccess`, detail)];
}

/** True if the namespace of an object permits admin access to devices. */
function permitsAdminAccess({ metadata }: KubeObject, storeOf: StoreOf): boolean {
  return storeOf('namespaces')?.peek('', metadata.namespace ?? '')?.object.metadata.labels?.[label] === 'true';
}

/**
 * Returns the validation of a kind, extended so that it also refuses requests for admin access. `spec` is the path of
 * the spec.
 */
export function withAdminAccess(
  kind: StoredResource,
  spec: readonly string[],
  storeOf: StoreOf,
): Pick<StoredResource, 'validate'> {
  return {
    async validate(draft, context, subresource) {
      const { object, old } = draft;
      const requests = listOf(memberAt(object as JsonObject, [...spec, 'devices', 'requests']));
      const isPermitted = () => permitsAdminAccess(object, storeOf);
      // The spec cannot change, so only creates are checked. Kubernetes reports this path for templates, too.
      const path = 'spec.devices.requests';
      const admin = old === undefined ? adminAccessErrors(requests, ['exactly'], path, isPermitted) : [];
      return [...admin, ...((await kind.validate?.(draft, context, subresource)) ?? [])];
    },
  };
}

/**
 * Returns the validation of claims. The validation also refuses admin access, and status changes for which the caller
 * has no permission.
 */
export function withStatusPermissions(
  kind: StoredResource,
  storeOf: StoreOf,
): Pick<StoredResource, 'validate' | 'validateStatus'> {
  return {
    ...withAdminAccess(kind, ['spec'], storeOf),
    async validateStatus(draft, context, subresource) {
      const { object, old } = draft;
      const before = old === undefined ? [] : allocatedDevices(statusOf(old.object));
      const wasGranted = before.some(({ adminAccess }) => adminAccess === true);
      const isPermitted = () => wasGranted || permitsAdminAccess(object, storeOf);
      return [
        ...adminAccessErrors(allocatedDevices(statusOf(object)), [], 'status.allocation.devices.results', isPermitted),
        ...(await statusPermissionErrors(draft, context)),
        ...((await kind.validateStatus?.(draft, context, subresource)) ?? []),
      ];
    },
  };
}
