import type { GroupVersionKind } from '../../api/meta.ts';
import type { JsonObject } from '../../lib/json-value.ts';

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Groups whose types Kubernetes itself publishes; tools know them under these names. */
const packages = new Map([
  ['', 'io.k8s.api.core'],
  ['events.k8s.io', 'io.k8s.api.events'],
  ['authorization.k8s.io', 'io.k8s.api.authorization'],
  ['authentication.k8s.io', 'io.k8s.api.authentication'],
]);

/** Rule OAPI-07: the group reversed, the version, the kind. */
export function componentName({ group, version, kind }: GroupVersionKind): string {
  const reversed = packages.get(group) ?? group.split('.').reverse().join('.');
  return `${reversed}.${version}.${kind}`;
}

export type MetaType =
  | 'DeleteOptions'
  | 'FieldsV1'
  | 'ListMeta'
  | 'ManagedFieldsEntry'
  | 'ObjectMeta'
  | 'OwnerReference'
  | 'Patch'
  | 'Preconditions'
  | 'Status'
  | 'StatusCause'
  | 'StatusDetails'
  | 'Time'
  | 'WatchEvent';

export function metaName(type: MetaType): string {
  return `${metaPackage}.${type}`;
}

export const referencePrefix = '#/components/schemas/';

export function reference(name: string): JsonObject {
  return { $ref: `${referencePrefix}${name}` };
}

/** A member that is of another type: only so may a description and a default stand beside the reference in v3. */
export function referringMember(name: string, description: string, emptyByDefault = true): JsonObject {
  return { description, ...(emptyByDefault ? { default: {} } : {}), allOf: [reference(name)] };
}
