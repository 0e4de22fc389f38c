import { useEffect, useRef, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import type { Row } from '../../data/rows/table-rows.ts';

/** Up to this many rows are processed at once. */
const maxUnthrottled = 500;

/** The update interval for more rows: faster changes are not readable. */
const updateIntervalMs = 1_000;

/** The rows, for code that processes all of them. Long lists are updated once per second instead of on each change. */
export function useThrottledRows<Type extends KubeObject>(rows: readonly Row<Type>[]): readonly Row<Type>[] {
  const latestRows = useRef(rows);
  const [throttled, setThrottled] = useState(rows);
  const isFew = rows.length <= maxUnthrottled;
  const isOld = !isFew && throttled !== rows;
  useEffect(() => {
    latestRows.current = rows;
  });
  // A change while the timer runs does not restart the timer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each update starts the next interval.
  useEffect(() => {
    if (!isOld) return;
    const timer = setTimeout(() => setThrottled(latestRows.current), updateIntervalMs);
    return () => clearTimeout(timer);
  }, [isOld, throttled]);
  return isFew ? rows : throttled;
}
