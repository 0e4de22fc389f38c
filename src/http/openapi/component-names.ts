import type { JsonObject } from '@flotilla/json';
import { apiVersionOf } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { goStructOf } from '../../api/structs/kind-structs.ts';

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/**
 * Returns the name of a kind's OpenAPI component (rule OAPI-07): Kubernetes' name for its own types, otherwise the
 * reversed group, the version and the kind.
 */
export function componentName(named: Pick<ResourceKind, 'group' | 'version' | 'kind' | 'builtIn'>): string {
  const { group, version, kind } = named;
  const known = named.builtIn === true ? goStructOf(apiVersionOf({ group, version }), kind) : undefined;
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

export function metaComponentName(type: MetaType): string {
  return `${metaPackage}.${type}`;
}

export const schemaReferencePrefix = '#/components/schemas/';

export function schemaReference(name: string): JsonObject {
  return { $ref: `${schemaReferencePrefix}${name}` };
}

/**
 * Returns the schema of a property that refers to another component. In OpenAPI v3, a reference can have a description
 * and a default only inside of `allOf`.
 */
export function referenceProperty(name: string, description: string, emptyByDefault = true): JsonObject {
  return { description, ...(emptyByDefault ? { default: {} } : {}), allOf: [schemaReference(name)] };
}
