import type { ReactNode } from 'react';
import { useRowFocus } from './row-focus.ts';
import classes from './simple-table.module.css';

export interface SimpleTableProps {
  /** The accessible name of the table. */
  readonly label: string;
  /** The column headers. The last column may have an empty header; it then contains the actions. */
  readonly head: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

/** A table for a few rows. Long lists use `ResourceList`. */
export function SimpleTable({ label, head, rows }: SimpleTableProps) {
  const rowFocus = useRowFocus();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll it only if it has the focus.
    <section className={classes.scroller} aria-label={label} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            {head.map((text) => (
              <th key={text} scope="col">
                {text === '' ? <span className={classes.unseen}>Actions</span> : text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...rowFocus}>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td
                  key={head[index]}
                  data-label={head[index]}
                  className={head[index] === '' ? classes.actions : undefined}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
