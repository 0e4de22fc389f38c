import { useMemo, useSyncExternalStore } from 'react';
import { managementRoot } from './api-root.ts';
import { LiveRows, type RowsQuery, type RowsSnapshot } from './live-rows.ts';
import { session } from './session.ts';

/** Those in use, by what they ask for: parts of a page that look at the same rows share them. */
const inUse = new Map<string, LiveRows>();

/** Kept when nobody looks any more, so that going back shows at once what was there; the oldest goes first. */
const mostKept = 12;

function keyOf(query: RowsQuery): string {
  const {
    kind,
    root = managementRoot,
    namespace = '',
    labelSelector = '',
    fieldSelector = '',
    objects = false,
    isPatient = false,
  } = query;
  return JSON.stringify([
    root,
    kind.group,
    kind.version,
    kind.plural,
    namespace,
    labelSelector,
    fieldSelector,
    objects,
    isPatient,
  ]);
}

function rowsFor(query: RowsQuery): LiveRows {
  const key = keyOf(query);
  const rows = inUse.get(key) ?? new LiveRows(query);
  inUse.delete(key);
  inUse.set(key, rows);
  for (const [other, { isLookedAt }] of inUse) {
    if (inUse.size <= mostKept) break;
    if (!isLookedAt && other !== key) inUse.delete(other);
  }
  return rows;
}

// Whoever signs in again goes on where they were.
session.subscribe(() => {
  if (session.get() !== 'open') return;
  // What waits patiently is asleep perhaps, and its page knows; what was refused was so for want of the session.
  for (const rows of inUse.values()) if (!rows.isPatient || rows.get().state === 'refused') rows.retry();
});

export interface UsedRows extends RowsSnapshot {
  /** Asks again at once. */
  readonly retry: () => void;
}

/** The rows of a kind as they are now, for as long as the component is there. */
export function useRows(query: RowsQuery): UsedRows {
  const key = keyOf(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all that the query says.
  const rows = useMemo(() => rowsFor(query), [key]);
  const snapshot = useSyncExternalStore(rows.subscribe, rows.get);
  return useMemo(() => ({ ...snapshot, retry: rows.retry }), [snapshot, rows]);
}
