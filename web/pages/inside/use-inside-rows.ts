import { useEffect, useRef } from 'react';
import { browserClock } from '../../data/browser-clock.ts';
import { type KindRef, type ObjectPlace, objectUrl } from '../../data/kind-ref.ts';
import type { RowsQuery } from '../../data/live-rows.ts';
import type { LiveObject } from '../../data/use-object.ts';
import { type UsedRows, useRows } from '../../data/use-rows.ts';
import { useInside } from './inside-context.ts';

/** So long after a stream has ended it is known whether it ended because of sleep: looking does not end that. */
const untilSettled = 3_000;

/** Rows from inside. What breaks is taken up again while the virtual cluster is awake, so that it is never woken by it. */
export function useInsideRows(query: Omit<RowsQuery, 'root' | 'isPatient'>): UsedRows {
  const { root, isAwake } = useInside();
  const rows = useRows({ ...query, root, isPatient: true });
  const wasAsleep = useRef(false);
  const { state, error, retry } = rows;
  useEffect(() => {
    if (!isAwake) wasAsleep.current = true;
    // Each try that fails has an error of its own, and comes here again.
    if (!isAwake || state !== 'interrupted' || error === undefined) return;
    const pause = wasAsleep.current ? 0 : untilSettled;
    wasAsleep.current = false;
    return browserClock.after(pause, retry);
  }, [isAwake, state, error, retry]);
  return rows;
}

/** One object from inside, as it is now. */
export function useInsideObject(kind: KindRef, { namespace, name }: ObjectPlace): LiveObject {
  const { root } = useInside();
  const rows = useInsideRows({
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
