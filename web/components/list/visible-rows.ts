import { type RefObject, useLayoutEffect, useState } from 'react';

/** The rows of a long table that are rendered: from `first` up to, but not including, `last`. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

export interface Viewport {
  /** The scroll offset and the visible height, in pixels. */
  readonly top: number;
  readonly height: number;
}

/**
 * The number of rows that are rendered above and below the visible rows, for fast scrolling and keyboard navigation.
 */
const overscan = 8;

/**
 * The index of the first rendered row is a multiple of this step, so the table is not rendered again for every scrolled
 * row. With larger steps, some frames would render too many rows and be late.
 */
const step = 2;

export function visibleRows({ top, height }: Viewport, count: number, rowHeight: number): RowRange {
  const firstVisible = Math.floor(top / rowHeight);
  const first = Math.max(0, Math.floor((firstVisible - overscan) / step) * step);
  const last = Math.ceil((firstVisible + Math.ceil(height / rowHeight) + overscan) / step) * step;
  return { first: Math.min(first, count), last: Math.min(last, count) };
}

/** The viewport that is assumed before the first measurement. It is large enough for any screen. */
const firstSight: Viewport = { top: 0, height: 1200 };

/** Returns the rows to render at the current scroll position of `scroller`. All rows have the same height. */
export function useVisibleRows(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowRange {
  const [sight, setSight] = useState(firstSight);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => {
      const now = { top: element.scrollTop, height: element.clientHeight };
      setSight((before) => (isSame(before, now, rowHeight) ? before : now));
    };
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      resized.disconnect();
    };
  }, [scroller, rowHeight]);
  return visibleRows(sight, count, rowHeight);
}

/** True if both viewports lead to the same rendered rows. */
function isSame(before: Viewport, now: Viewport, rowHeight: number): boolean {
  const one = visibleRows(before, Number.MAX_SAFE_INTEGER, rowHeight);
  const other = visibleRows(now, Number.MAX_SAFE_INTEGER, rowHeight);
  return one.first === other.first && one.last === other.last;
}
