import type { JsonObject } from '@flotilla/json';
import type { Timestamp } from '@flotilla/kubernetes-formats';

/** An entry of `metadata.managedFields`: the fields that one manager owns. */
export type ManagedFieldsEntry = {
  manager?: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time?: Timestamp;
  fieldsType: 'FieldsV1';
  fieldsV1: JsonObject;
  subresource?: string;
};

/** The metadata that this package reads. Other members are kept. */
export type TrackedMetadata = {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  creationTimestamp?: Timestamp;
  deletionTimestamp?: Timestamp;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: JsonObject[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
};

/** An object whose field ownership is tracked. It also has the fields of its kind, such as `spec` and `status`. */
export type TrackedObject = {
  apiVersion: string;
  kind: string;
  metadata: TrackedMetadata;
};
