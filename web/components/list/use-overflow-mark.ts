import { type RefObject, useLayoutEffect } from 'react';

/**
 * Marks the scroller of a table with `data-overflows` while the table is wider than the scroller. The style sheet keeps the
 * actions of the rows visible only then: every sticky cell is a layer that the browser positions again in each frame.
 */
export function useOverflowMark(scroller: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    const table = element?.firstElementChild;
    if (element === null || table === null || table === undefined) return;
    // The observer runs after the layout, so the widths are known.
    const resized = new ResizeObserver(() => {
      element.toggleAttribute('data-overflows', element.scrollWidth > element.clientWidth);
    });
    resized.observe(element);
    resized.observe(table);
    return () => resized.disconnect();
  }, [scroller]);
}
