import { useEffect, useRef, useState } from 'react';
import type { Row } from '../data/table-rows.ts';

/** So few are counted in no time. */
const few = 500;

/** How often many are counted, in milliseconds: nobody reads numbers that change faster. */
const every = 1_000;

/** The rows for what looks at all of them: of many not after each change, but once a second. */
export function useCalmRows(rows: readonly Row[]): readonly Row[] {
  const latest = useRef(rows);
  const [calm, setCalm] = useState(rows);
  const isFew = rows.length <= few;
  const isOld = !isFew && calm !== rows;
  useEffect(() => {
    latest.current = rows;
  });
  // What changes while it waits does not make it wait longer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each time it begins anew.
  useEffect(() => {
    if (!isOld) return;
    const timer = setTimeout(() => setCalm(latest.current), every);
    return () => clearTimeout(timer);
  }, [isOld, calm]);
  return isFew ? rows : calm;
}
