import type { ManagedFieldsEntry } from '@flotilla/field-ownership';
import type { JsonObject, JsonValue } from '@flotilla/json';
import type { Timestamp } from '@flotilla/kubernetes-formats';

export type { ManagedFieldsEntry } from '@flotilla/field-ownership';
export { apiVersionOf, parseApiVersion, type Timestamp, timestamp } from '@flotilla/kubernetes-formats';

export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

export type ObjectMeta = {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: Timestamp;
  deletionTimestamp?: Timestamp;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
};

/**
 * The fields of an object of any kind. `spec` and `status` are declared so that an untyped object is not assignable to
 * a typed one. With only the index signature, an untyped object would be assignable, because the signature matches the
 * optional fields of every kind.
 */
export type AnyFields = { spec?: JsonValue; status?: JsonValue; [field: string]: JsonValue };

/** Any decoded API object: apiVersion, kind and metadata, and the untyped fields of its kind. */
export type KubeObject = TypedObject<AnyFields>;

/**
 * An object whose fields (`spec`, `status` and others) have the TypeScript types of its kind's schema. Every write is
 * validated against that schema before the code of the kind handles the object.
 */
export type TypedObject<Fields extends JsonObject> = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
} & Fields;

export type ListMeta = { resourceVersion?: string; continue?: string; remainingItemCount?: number };

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}
