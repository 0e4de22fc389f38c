import type { ActivityRecord } from '../../api/management/v1/notifications/activity-record.ts';
import type { ActivityReaders } from '../../auth/authz/activity-readers.ts';
import type { StoredResource } from '../../registry/resource.ts';

/** A record as it is stored: the fields of the object, and the permissions that determine who may read it. */
export interface StoredActivity extends Pick<ActivityRecord, 'action' | 'type' | 'message' | 'involvedObject'> {
  readonly actor?: string;
  /** The time of the record in milliseconds since the epoch. */
  readonly time: number;
  readonly readers: ActivityReaders;
}

/** The key of a record. Names sort from the newest record to the oldest. */
export interface ActivityRecordKey {
  readonly namespace: string;
  readonly name: string;
}

export interface ActivityRow extends ActivityRecordKey {
  readonly stored: StoredActivity;
}

/** A page of activity records, as the log reads them. */
export interface ActivityRows {
  readonly rows: readonly ActivityRow[];
  /** True if there are further rows. */
  readonly hasMore: boolean;
}

/** The stored activity records of all objects of the management API. */
export interface ActivityLog {
  /**
   * Returns the writes that store a record. They are added to the transaction that changes the object that the record
   * is about. For a deletion, the readers in the record are stored as the last readers of the object.
   */
  writesOf(namespace: string, stored: StoredActivity): ReturnType<NonNullable<StoredResource['writtenAlongside']>>;
  /**
   * Returns records of a namespace, or of all namespaces if the namespace is '', newest first. If a key is given, the
   * result starts after the record with this key.
   */
  read(
    namespace: string,
    options: { readonly limit: number; readonly after?: ActivityRecordKey },
  ): Promise<ActivityRows>;
  /** Returns the permissions on an object when it was deleted; `undefined` if none are stored. */
  lastReaders(namespace: string, uid: string): Promise<ActivityReaders | undefined>;
}
