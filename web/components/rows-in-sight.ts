import { type RefObject, useLayoutEffect, useState } from 'react';

/** Which rows of a long table are in the page: from the first up to, not with, the last. */
export interface RowsInSight {
  readonly first: number;
  readonly last: number;
}

export interface Sight {
  /** In pixels: how far it is scrolled, and how much can be seen at once. */
  readonly top: number;
  readonly height: number;
}

/** So many more on each side: whoever scrolls sees rows at once, and whoever goes by keyboard finds the next. */
const around = 12;

/** The first moves in steps, so that a table that is scrolled is not drawn anew for every row. */
const step = 6;

export function rowsInSight({ top, height }: Sight, count: number, rowHeight: number): RowsInSight {
  const seen = Math.floor(top / rowHeight);
  const first = Math.max(0, Math.floor((seen - around) / step) * step);
  const last = Math.ceil((seen + Math.ceil(height / rowHeight) + around) / step) * step;
  return { first: Math.min(first, count), last: Math.min(last, count) };
}

/** Before anything is measured: enough for any screen. */
const firstSight: Sight = { top: 0, height: 1200 };

/** The rows that are to be in the page while `scroller` is as it is now. All rows are of the same height. */
export function useRowsInSight(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowsInSight {
  const [sight, setSight] = useState(firstSight);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = () => {
      const now = { top: element.scrollTop, height: element.clientHeight };
      setSight((before) => (isSame(before, now, rowHeight) ? before : now));
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const resized = new ResizeObserver(look);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      resized.disconnect();
    };
  }, [scroller, rowHeight]);
  return rowsInSight(sight, count, rowHeight);
}

/** Whether the same rows would be in the page, however many there are. */
function isSame(before: Sight, now: Sight, rowHeight: number): boolean {
  const one = rowsInSight(before, Number.MAX_SAFE_INTEGER, rowHeight);
  const other = rowsInSight(now, Number.MAX_SAFE_INTEGER, rowHeight);
  return one.first === other.first && one.last === other.last;
}
