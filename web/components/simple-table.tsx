import type { ReactNode } from 'react';
import { useRowFocus } from './row-focus.ts';
import classes from './simple-table.module.css';

export interface SimpleTableProps {
  /** What the table tells. */
  readonly label: string;
  /** An empty one is for what can be done with a row; it comes last. */
  readonly head: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

/** A table of some rows as part of a page. What can be long is a ResourceList. */
export function SimpleTable({ label, head, rows }: SimpleTableProps) {
  const rowFocus = useRowFocus();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keys.
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
                <td key={head[index]} className={head[index] === '' ? classes.actions : undefined}>
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
