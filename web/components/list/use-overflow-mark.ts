import { type RefObject, useLayoutEffect } from 'react';

/**
 * Sets `data-overflows` on the scroller of a table as long as the table is wider than the scroller. The style sheet
 * makes the actions of the rows sticky only if this attribute is set, because the browser must position every sticky
 * cell again in each frame.
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
