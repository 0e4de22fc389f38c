import { type FocusEvent, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { moveFocusFrom } from '../form/page-focus.ts';

/** The element of the table that last had the focus, with its row and column. */
interface FocusedCell {
  readonly element: HTMLElement;
  readonly row: number;
  readonly cell: number;
}

export interface RowFocus {
  readonly ref: RefObject<HTMLTableSectionElement | null>;
  onFocus(event: FocusEvent<HTMLTableSectionElement>): void;
}

/**
 * Keeps the focus in a table if the focused row is removed, for example by an action in that row. The focus moves to
 * the same cell of the next row. If there is no next row, it moves to the new last row; if no row is left, to the page.
 */
export function useRowFocus(): RowFocus {
  const ref = useRef<HTMLTableSectionElement>(null);
  const focused = useRef<FocusedCell>(undefined);

  useLayoutEffect(() => {
    if (focused.current === undefined || focused.current.element.isConnected) return;
    const { element, row, cell } = focused.current;
    focused.current = undefined;
    const rows = [...(ref.current?.rows ?? [])];
    const next = rows[Math.min(row, rows.length - 1)]?.cells[cell];
    moveFocusFrom(element, next?.querySelector<HTMLElement>('button:enabled, a[href]') ?? undefined);
  });
  // On unmount, the whole table is removed, so the focus moves to the page.
  useEffect(
    () => () => {
      if (focused.current !== undefined) moveFocusFrom(focused.current.element, undefined);
    },
    [],
  );

  return {
    ref,
    onFocus({ target }) {
      const cell = target.closest('td');
      const row = target.closest('tr');
      focused.current =
        cell === null || row === null ? undefined : { element: target, row: row.sectionRowIndex, cell: cell.cellIndex };
    },
  };
}
