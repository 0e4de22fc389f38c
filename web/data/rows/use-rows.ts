import { useMemo, useSyncExternalStore } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { managementRoot } from '../api-root.ts';
import { session } from '../session/session.ts';
import { LiveRows, type ObjectsQuery, type RowsQuery, type RowsSnapshot } from './live-rows.ts';

/** The live rows by query, shared by all components with that query. */
const inUse = new Map<string, LiveRows>();

/**
 * The maximum number of queries whose rows are cached. Unused rows stay cached, so they appear immediately when the
 * user returns to a page.
 */
const maxCached = 12;

function keyOf(query: RowsQuery): string {
  const {
    kind,
    root = managementRoot,
    namespace = '',
    labelSelector = '',
    fieldSelector = '',
    objects = false,
    manualRetry = false,
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
    manualRetry,
  ]);
}

function rowsFor(query: RowsQuery): LiveRows {
  const key = keyOf(query);
  const rows = inUse.get(key) ?? new LiveRows(query);
  inUse.delete(key);
  inUse.set(key, rows);
  for (const [other, { hasSubscribers }] of inUse) {
    if (inUse.size <= maxCached) break;
    if (!hasSubscribers && other !== key) inUse.delete(other);
  }
  return rows;
}

// Requests the rows again after a new sign-in.
session.subscribe(() => {
  if (session.get() !== 'open') return;
  // After a new sign-in, retries the refused rows. Rows without automatic retries may belong to a sleeping virtual
  // cluster, so they are retried only if they were refused because the session had ended.
  for (const rows of inUse.values()) if (!rows.manualRetry || rows.get().state === 'refused') rows.retry();
});

export interface RowsWithRetry<Type extends KubeObject = KubeObject> extends RowsSnapshot<Type> {
  /** Retries immediately, without waiting for the backoff. */
  readonly retry: () => void;
}

/** Returns the rows of a kind, updated live as long as the component is mounted. */
export function useRows<Type extends KubeObject>(query: ObjectsQuery<Type>): RowsWithRetry<Type>;
export function useRows(query: RowsQuery): RowsWithRetry;
export function useRows(query: RowsQuery): RowsWithRetry {
  const key = keyOf(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains the whole query.
  const rows = useMemo(() => rowsFor(query), [key]);
  const snapshot = useSyncExternalStore(rows.subscribe, rows.get);
  return useMemo(() => ({ ...snapshot, retry: rows.retry }), [snapshot, rows]);
}
