import { isJsonObject, textAt } from '@flotilla/json';
import { encodeKey, type Key } from '../../store/key.ts';
import type { DumpRow, Store } from '../../store/store.ts';
import { installationKey } from '../data/installation.ts';

/**
 * The row that a restore adds to the store. The next start ends the access that the backup contains, and removes this
 * row.
 */
export interface RestoreMark {
  /** The time at which the backup was made; empty if the backup contains no such time. */
  readonly backupTime: string;
  /** True if the access keys in the backup stay enabled. */
  readonly trustsKeys: boolean;
}

const markKey = installationKey('restored');

/** Yields the rows of a backup with a new restore mark. The new mark replaces a restore mark in the backup. */
export async function* withRestoreMark(rows: AsyncIterable<DumpRow>, trustsKeys: boolean): AsyncGenerator<DumpRow> {
  let mark: DumpRow | undefined;
  for await (const row of rows) {
    if (row.row === 'head') {
      const value: RestoreMark = { backupTime: row.time ?? '', trustsKeys };
      mark = { row: 'entry', key: markKey, value: JSON.stringify(value), revision: row.revision };
    }
    const order = row.row === 'entry' ? compareToMark(row.key) : -1;
    if (order > 0 && mark !== undefined) {
      yield mark;
      mark = undefined;
    }
    if (order !== 0) yield row;
  }
  if (mark !== undefined) yield mark;
}

export async function readRestoreMark(store: Pick<Store, 'get'>): Promise<RestoreMark | undefined> {
  const entry = await store.get(markKey);
  if (entry === undefined) return undefined;
  const value: unknown = JSON.parse(entry.value);
  if (!isJsonObject(value)) return { backupTime: '', trustsKeys: false };
  return { backupTime: textAt(value, 'backupTime'), trustsKeys: value.trustsKeys === true };
}

export async function removeRestoreMark(store: Pick<Store, 'transact'>): Promise<void> {
  await store.transact({ writes: [{ key: markKey, value: undefined }] });
}

/** Compares a key with the key of the mark, in the row order of a dump. */
function compareToMark(key: Key): number {
  return Buffer.from(encodeKey(key)).compare(Buffer.from(encodeKey(markKey)));
}
