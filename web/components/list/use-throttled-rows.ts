import { useEffect, useRef, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import type { Row } from '../../data/rows/table-rows.ts';

/** A list of up to this many rows is updated on every change. */
const maxUnthrottled = 500;

/** The update interval in milliseconds for longer lists. Users cannot read faster changes. */
const updateIntervalMs = 1_000;

/**
 * Returns the rows for code that processes all of them. A long list is updated once per second and not on every change.
 */
export function useThrottledRows<Type extends KubeObject>(rows: readonly Row<Type>[]): readonly Row<Type>[] {
  const latestRows = useRef(rows);
  const [throttled, setThrottled] = useState(rows);
  const isFew = rows.length <= maxUnthrottled;
  const isOld = !isFew && throttled !== rows;
  useEffect(() => {
    latestRows.current = rows;
  });
  // A change of the rows does not restart a running timer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each update starts the next interval.
  useEffect(() => {
    if (!isOld) return;
    const timer = setTimeout(() => setThrottled(latestRows.current), updateIntervalMs);
    return () => clearTimeout(timer);
  }, [isOld, throttled]);
  return isFew ? rows : throttled;
}
