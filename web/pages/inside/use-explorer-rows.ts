import { useEffect, useRef } from 'react';
import { browserClock } from '../../data/browser-clock.ts';
import { type KindRef, type ObjectKey, objectUrl } from '../../data/kind-ref.ts';
import type { LiveObject } from '../../data/objects/use-object.ts';
import type { RowsQuery } from '../../data/rows/live-rows.ts';
import { type RowsWithRetry, useRows } from '../../data/rows/use-rows.ts';
import { useExplorer } from './explorer-context.ts';

/**
 * The delay in milliseconds before a broken watch is retried. By then, the phase of the instance shows whether the
 * virtual cluster fell asleep. If it did, the watch is not retried, because every retry fails until a user wakes the
 * virtual cluster.
 */
const retryDelayMs = 3_000;

/**
 * Returns the rows of a kind inside a virtual cluster. A broken watch is retried only if the virtual cluster is awake.
 */
export function useExplorerRows(query: Omit<RowsQuery, 'root' | 'manualRetry'>): RowsWithRetry {
  const { root, isAwake } = useExplorer();
  const rows = useRows({ ...query, root, manualRetry: true });
  const wasAsleep = useRef(false);
  const { state, error, retry } = rows;
  useEffect(() => {
    if (!isAwake) wasAsleep.current = true;
    // This effect runs again after each failed attempt, because each attempt creates a new error object.
    if (!isAwake || state !== 'interrupted' || error === undefined) return;
    const pause = wasAsleep.current ? 0 : retryDelayMs;
    wasAsleep.current = false;
    return browserClock.after(pause, retry);
  }, [isAwake, state, error, retry]);
  return rows;
}

/** Returns one object inside a virtual cluster, updated live. */
export function useExplorerObject(kind: KindRef, { namespace, name }: ObjectKey): LiveObject {
  const { root } = useExplorer();
  const rows = useExplorerRows({
    kind,
    fieldSelector: `metadata.name=${name}`,
    objects: true,
    ...(namespace === undefined ? {} : { namespace }),
  });
  const object = rows.rows[0]?.object;
  const state = rows.state === 'live' && object === undefined ? 'gone' : rows.state;
  const url = objectUrl(root, kind, { namespace, name });
  return { state, object, error: rows.error, url, retry: rows.retry };
}
