import { type FocusEvent, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { replaceFocus } from './kept-focus.ts';

/** Where in the table the focus was last. */
interface Place {
  readonly element: HTMLElement;
  readonly row: number;
  readonly cell: number;
}

export interface RowFocus {
  readonly ref: RefObject<HTMLTableSectionElement | null>;
  onFocus(event: FocusEvent<HTMLTableSectionElement>): void;
}

/**
 * For the body of a table whose rows go while one is at them, as what was pressed there takes its row away: the row that
 * moves up takes the focus over, at the same cell; after the last row it is the one before, after all of them the page.
 */
export function useRowFocus(): RowFocus {
  const ref = useRef<HTMLTableSectionElement>(null);
  const place = useRef<Place>(undefined);

  useLayoutEffect(() => {
    if (place.current === undefined || place.current.element.isConnected) return;
    const { element, row, cell } = place.current;
    place.current = undefined;
    const rows = [...(ref.current?.rows ?? [])];
    const next = rows[Math.min(row, rows.length - 1)]?.cells[cell];
    replaceFocus(element, next?.querySelector<HTMLElement>('button:enabled, a[href]') ?? undefined);
  });
  // Only then is the table itself gone.
  useEffect(
    () => () => {
      if (place.current !== undefined) replaceFocus(place.current.element, undefined);
    },
    [],
  );

  return {
    ref,
    onFocus({ target }) {
      const cell = target.closest('td');
      const row = target.closest('tr');
      place.current =
        cell === null || row === null ? undefined : { element: target, row: row.sectionRowIndex, cell: cell.cellIndex };
    },
  };
}
