import { randomBytes } from 'node:crypto';
import { parseTrustedJson } from '@flotilla/json';
import type { ActivityRow, StoredActivity } from '../../management/activity/activity-log.ts';
import type { Key, KeyRange } from '../../store/key.ts';

/**
 * The slice with the activity records. Each record has two unlogged rows: one in the list of its namespace, and one in
 * the list of all namespaces, so that both lists can be read from the newest record to the oldest. The record of a
 * deletion has a third row, with the last readers of the object.
 */
export const activityRecordsSlice = 'activity-records';

const allList = 'all';
const namespaceList = 'namespace';
const lastReadersPrefix = 'last-readers';

/** The first time, in milliseconds since the epoch, that has more than thirteen digits. */
const endOfTime = 10_000_000_000_000;
/** More records than a process can write within a millisecond. */
const maxSequence = 1_000_000;
const last = { time: 0, sequence: 0 };

/** Returns the name of a new record. Names sort from the newest to the oldest, also within a millisecond. */
export function newActivityName(time: number): string {
  last.sequence = time === last.time ? last.sequence + 1 : 0;
  last.time = time;
  const order = String(maxSequence - 1 - (last.sequence % maxSequence)).padStart(6, '0');
  return `${activityNameAt(time)}-${order}-${randomBytes(4).toString('hex')}`;
}

/**
 * Returns the start of the names of all records of this time. It sorts before the names of these records and of all
 * older records.
 */
export function activityNameAt(time: number): string {
  return String(endOfTime - 1 - Math.max(0, Math.floor(time))).padStart(13, '0');
}

/** Returns the keys of a record: in the list of its namespace, and in the list of all namespaces. */
function activityKeys(namespace: string, name: string): readonly [inNamespace: Key, inAll: Key] {
  return [
    { slice: activityRecordsSlice, segments: [namespaceList, namespace, name] },
    { slice: activityRecordsSlice, segments: [allList, name, namespace] },
  ];
}

/** Returns the key of the row with the permissions on an object when it was deleted. */
export function lastReadersKey(namespace: string, uid: string): Key {
  return { slice: activityRecordsSlice, segments: [lastReadersPrefix, namespace, uid] };
}

/** Returns the keys of all rows that belong to a record. */
export function activityRowKeys({ namespace, name, stored }: ActivityRow): readonly Key[] {
  const keys = activityKeys(namespace, name);
  return stored.action === 'Deleted' ? [...keys, lastReadersKey(namespace, stored.involvedObject.uid)] : keys;
}

/** Returns the range of the records of a namespace; of all namespaces if `namespace` is ''. */
export function activityRange(namespace: string): KeyRange {
  const prefix = namespace === '' ? [allList] : [namespaceList, namespace];
  return { slice: activityRecordsSlice, prefix };
}

/** Returns the key of a record in the list of `listed`, a namespace or '' for all namespaces. */
export function activityKeyIn(listed: string, namespace: string, name: string): Key {
  const [inNamespace, inAll] = activityKeys(namespace, name);
  return listed === '' ? inAll : inNamespace;
}

export function readActivityRow({ segments: [list, first = '', second = ''] }: Key, value: string): ActivityRow {
  const [namespace, name] = list === allList ? [second, first] : [first, second];
  return { namespace, name, stored: parseTrustedJson(value) as unknown as StoredActivity };
}
