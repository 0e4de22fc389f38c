import { managementGroup, managementVersion } from '../naming.ts';

export const backupStatusKind = 'BackupStatus';
export const backupsApiVersion = `${managementGroup}/${managementVersion}`;
/** Path at which administrators read the state of scheduled backups. */
export const backupsPath = '/backups';

/** A backup at the destination. */
export interface StoredBackup {
  readonly name: string;
  /** The time at which the backup was started, in RFC 3339. */
  readonly time: string;
  readonly bytes: number;
}

/** A backup that was written, read again and found complete. */
export interface CompletedBackup extends StoredBackup {
  /** The duration of the backup, with its verification. */
  readonly seconds: number;
  readonly rows: number;
}

/** The last attempt that failed. */
export interface FailedBackup {
  readonly time: string;
  readonly message: string;
}

/** The state of scheduled backups. Without a schedule, only `items` is present, and it is empty. */
export interface BackupStatus {
  readonly kind: typeof backupStatusKind;
  readonly apiVersion: typeof backupsApiVersion;
  readonly schedule?: string;
  readonly timeZone?: string;
  /** The destination of backups: a directory, or `s3://bucket/prefix`. */
  readonly destination?: string;
  /** True if the server that responds is making a backup. */
  readonly isRunning?: boolean;
  /** The time at which the next backup is due. It is in the past if a backup could not be made in time. */
  readonly dueAt?: string;
  readonly lastSuccess?: CompletedBackup;
  /** The last failure. Absent if a backup has succeeded since. */
  readonly lastFailure?: FailedBackup;
  /** The backups at the destination, the newest first. */
  readonly items: readonly StoredBackup[];
  /** The reason why the destination cannot be listed. */
  readonly problem?: string;
}
