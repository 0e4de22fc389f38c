import { useEffect, useRef } from 'react';
import { browserClock } from '../../data/browser-clock.ts';
import { type KindRef, type ObjectKey, objectUrl } from '../../data/kind-ref.ts';
import type { LiveObject } from '../../data/objects/use-object.ts';
import type { RowsQuery } from '../../data/rows/live-rows.ts';
import { type RowsWithRetry, useRows } from '../../data/rows/use-rows.ts';
import { useExplorer } from './explorer-context.ts';

/**
 * The delay before a retry. By then the instance's phase shows whether the watch ended because of sleep, which a retry
 * would interrupt.
 */
const retryDelayMs = 3_000;

/**
 * The rows of a kind inside a virtual cluster. A broken watch is retried only while the cluster is awake, so that a
 * retry never wakes it.
 */
export function useExplorerRows(query: Omit<RowsQuery, 'root' | 'isPatient'>): RowsWithRetry {
  const { root, isAwake } = useExplorer();
  const rows = useRows({ ...query, root, manualRetry: true });
  const wasAsleep = useRef(false);
  const { state, error, retry } = rows;
  useEffect(() => {
    if (!isAwake) wasAsleep.current = true;
    // Each failed attempt has a new error, which runs this effect again.
    if (!isAwake || state !== 'interrupted' || error === undefined) return;
    const pause = wasAsleep.current ? 0 : retryDelayMs;
    wasAsleep.current = false;
    return browserClock.after(pause, retry);
  }, [isAwake, state, error, retry]);
  return rows;
}

/** One object inside a virtual cluster, updated live. */
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
