import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type GroupVersionKind } from '../../api/meta.ts';
import { goStructOf } from '../../api/structs/kind-structs.ts';

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Rule OAPI-07: Kubernetes' own names for its types; otherwise the reversed group, the version and the kind. */
export function componentName({ group, version, kind }: GroupVersionKind): string {
  const known = goStructOf(apiVersionOf({ group, version }), kind);
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

/** A property of another type. In v3, `allOf` is the only way to add a description and a default to a reference. */
export function referenceProperty(name: string, description: string, emptyByDefault = true): JsonObject {
  return { description, ...(emptyByDefault ? { default: {} } : {}), allOf: [reference(name)] };
}
