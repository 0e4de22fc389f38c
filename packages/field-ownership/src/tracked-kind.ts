import type { JsonObject } from '@flotilla/json';
import type { TrackedObject } from './tracked-object.ts';
import type { TrackedSchema } from './typed/tracked-schema.ts';

/**
 * A kind with the properties that the tracking of field ownership uses. Results are cached per schema, so callers must
 * pass the same schema object for the same kind.
 */
export interface TrackedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The schema of all fields except apiVersion, kind and metadata. */
  readonly schema: TrackedSchema;
  /** True if the kind has a status subresource. Then the main endpoint does not write the status. */
  readonly hasStatus: boolean;
  /** True if the status subresource also writes the metadata. Otherwise it writes only the status. */
  readonly statusWritesMetadata?: boolean;
  /** Members of the metadata that a status write keeps, if `statusWritesMetadata` is true. Defaults to none. */
  readonly statusKeepsMetadata?: readonly string[];
  /**
   * The fields that a write cannot change, for each subresource. Optional; by default, only the status subresource
   * writes the status.
   */
  readonly resetFields?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** True if any part of an object may be a secret. Error messages then do not quote the object. */
  readonly confidential?: boolean;
  /** The form in which Go prints objects of this kind; `undefined` for a kind without a Go struct. */
  readonly goForm: GoForm | undefined;
  /** Present if versions of the kind have different fields. If absent, a field has the same name in all versions. */
  readonly versions?: TrackedVersions;
}

/** The versions of a kind. Each manager owns fields of the version that it wrote. */
export interface TrackedVersions {
  /**
   * Returns the kind in an API version; `undefined` if there is no such version. Entries of a version that does not
   * exist are removed.
   */
  find(apiVersion: string): TrackedKind | undefined;
  /** Converts an object. Must not change its argument. */
  convert(object: TrackedObject, apiVersion: string): TrackedObject;
}

/**
 * Converts objects of a kind that has a Go struct. Go prints some empty members, for example null for an empty time, and
 * kube-apiserver tracks the fields of the printed object.
 */
export interface GoForm {
  /** Returns an object of the kind without any fields set, as Go prints it. */
  emptyObject(): JsonObject;
  /** Returns the object as Go prints it. */
  print(object: TrackedObject): JsonObject;
}
