import { apiVersionOf, type GroupVersionKind } from '../../api/meta.ts';
import { structOf } from '../../api/structs/kind-structs.ts';
import type { JsonObject } from '../../lib/json-value.ts';

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Rule OAPI-07: types that Kubernetes itself publishes have its names; else the group reversed, the version, the kind. */
export function componentName({ group, version, kind }: GroupVersionKind): string {
  const known = structOf(apiVersionOf({ group, version }), kind);
  return known?.name ?? `${group.split('.').reverse().join('.')}.${version}.${kind}`;
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
