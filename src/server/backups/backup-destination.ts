import type { StoredBackup } from '../../api/backups/backup-status.ts';
import type { BackupContent } from './backup-content.ts';

/** A backup to write. */
export interface NewBackup {
  readonly name: string;
  /** The text of the backup, in chunks of about 64 KiB. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Aborted if the server shuts down or is no longer the leader. */
  readonly signal: AbortSignal;
}

export interface WrittenBackup extends BackupContent {
  readonly bytes: number;
}

/** The place to which scheduled backups are written. */
export interface BackupDestination {
  /** A description of the destination for messages and the status. It contains no secret. */
  readonly description: string;
  /**
   * Writes a backup, reads it again and verifies it. The backup gets its name only when it is complete. If this method
   * rejects, no backup remains under this name.
   */
  write(backup: NewBackup): Promise<WrittenBackup>;
  /** Returns the backups of this installation, the oldest first. */
  list(signal: AbortSignal): Promise<StoredBackup[]>;
  remove(name: string, signal: AbortSignal): Promise<void>;
  /** Removes the incomplete backups that a server left behind when it was killed. */
  removeIncomplete(signal: AbortSignal): Promise<void>;
}
