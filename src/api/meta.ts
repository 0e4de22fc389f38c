import type { JsonObject, JsonValue } from '@flotilla/json';

/** A time in RFC 3339 format, in UTC and whole seconds: `2026-08-20T10:00:00Z`. */
export type Timestamp = string;

export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

export type ManagedFieldsEntry = {
  manager?: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time?: Timestamp;
  fieldsType: 'FieldsV1';
  fieldsV1: JsonObject;
  subresource?: string;
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
 * a typed one. With an index signature alone it would be, because that matches the optional fields of every kind.
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

/** Returns the apiVersion: `v1` in the core group, `group/version` in all other groups. */
export function apiVersionOf(gv: { group: string; version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Cache of the latest result. Each request formats several timestamps, nearly all of them of the same second. */
let latest = { second: Number.NaN, text: '' };

export function timestamp(milliseconds: number): Timestamp {
  const second = Math.floor(milliseconds / 1000);
  if (second !== latest.second) {
    latest = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return latest.text;
}
