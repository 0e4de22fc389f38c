import { isJsonObject } from '@flotilla/json';
import type { CompletedBackup, FailedBackup } from '../../api/backups/backup-status.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import { installationKey } from '../data/installation.ts';

/** The row of the store with the state of scheduled backups. All servers read it, and the leader writes it. */
export interface BackupRecord {
  /** The time at which backups were first scheduled, in RFC 3339. */
  readonly since: string;
  readonly lastSuccess?: CompletedBackup;
  /** The last attempt, if it failed. */
  readonly lastFailure?: FailedBackup;
}

const key = installationKey('backups');

/** Returns the state; `undefined` if no backups were ever scheduled. */
export async function readBackupRecord(store: Pick<Store, 'get'>): Promise<BackupRecord | undefined> {
  const entry = await store.get(key);
  if (entry === undefined) return undefined;
  const value: unknown = JSON.parse(entry.value);
  return isJsonObject(value) ? (value as unknown as BackupRecord) : undefined;
}

/** Writes the state. Rejects with StoreError if the fence is no longer valid. */
export async function writeBackupRecord(
  store: Pick<Store, 'transact'>,
  record: BackupRecord,
  fence: RevisionCheck | undefined,
): Promise<void> {
  const checks = fence === undefined ? {} : { checks: [fence] };
  await store.transact({ ...checks, writes: [{ key, value: JSON.stringify(record) }] });
}
