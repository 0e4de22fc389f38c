import type { StoredBackup } from '../../api/backups/backup-status.ts';
import type { BackupSettings } from '../settings/backup-settings.ts';

const dayMs = 24 * 60 * 60 * 1000;

export interface RetentionRules {
  readonly keep: BackupSettings['keep'];
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
  /** The name of the backup that was just verified. It is never removed, even if the clock was set back. */
  readonly newest: string;
}

/**
 * Returns the backups to remove: those that are neither among the newest ones nor young enough to be kept. `backups`
 * must be sorted by name.
 */
export function removableBackups(backups: readonly StoredBackup[], rules: RetentionRules): StoredBackup[] {
  const { keep, now, newest } = rules;
  return backups
    .slice(0, -keep.last)
    .filter(({ name, time }) => name !== newest && now - Date.parse(time) > keep.days * dayMs);
}
