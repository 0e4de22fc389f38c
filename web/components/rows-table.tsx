import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import type { ListColumn } from '../data/list-columns.ts';
import { widestRows } from '../data/select-rows.ts';
import type { Row } from '../data/table-rows.ts';
import { tickedRange, toggled } from '../data/ticked-rows.ts';
import { useRowsInSight } from './rows-in-sight.ts';
import classes from './rows-table.module.css';
import { type CellDrawings, TableRow, WidestCells } from './table-row.tsx';

export interface RowsTableProps {
  readonly what: string;
  readonly rows: readonly Row[];
  readonly columns: readonly ListColumn[];
  readonly cells: CellDrawings;
  readonly sort: string | undefined;
  onSort(sort: string | undefined): void;
  readonly ticked?: ReadonlySet<string>;
  onTick?(ticked: ReadonlySet<string>): void;
  readonly rowActions?: (row: Row) => ReactNode;
}

/** In pixels; all rows are of this height, so that where each stands is known without looking. */
const rowHeight = 44;

/** Of so few all are in the page, and the columns are as wide as they have to be by themselves. */
const fewRows = 40;

/** A table of any length: only the rows in sight, and some around them, are in the page. */
export function RowsTable({ what, rows, columns, cells, sort, onSort, ticked, onTick, rowActions }: RowsTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { first, last } = useRowsInSight(scroller, rows.length, rowHeight);
  const span = columns.length + (ticked === undefined ? 0 : 1) + (rowActions === undefined ? 0 : 1);
  const hasMany = rows.length > fewRows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that changes is no reason to measure thousands anew.
  const widest = useMemo(() => (hasMany ? widestRows(rows, columns) : undefined), [rows.length, columns]);

  // A row is drawn again when it changes, not when others are ticked.
  const now = useRef({ rows, ticked, last: '' });
  useLayoutEffect(() => {
    now.current = { rows, ticked, last: now.current.last };
  });
  const toggle = useCallback(
    (key: string, isRange: boolean) => {
      const { rows: all, ticked: before = new Set<string>(), last } = now.current;
      now.current.last = key;
      onTick?.(isRange ? tickedRange(before, all, last, key) : toggled(before, key));
    },
    [onTick],
  );

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keys.
    <section ref={scroller} className={classes.scroller} aria-label={`Table of ${what}`} tabIndex={0}>
      <table className={classes.table} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {ticked === undefined ? null : (
              <th className={classes.tick}>
                <TickAll what={what} rows={rows} ticked={ticked} {...(onTick === undefined ? {} : { onTick })} />
              </th>
            )}
            {columns.map(({ name, about }) => (
              <th key={name} aria-sort={sortOf(name, sort)} title={about}>
                <UnstyledButton className={classes.head} onClick={() => onSort(nextSort(name, sort))}>
                  {name}
                  <span aria-hidden="true">{sort === name ? ' ↑' : sort === `-${name}` ? ' ↓' : ''}</span>
                </UnstyledButton>
              </th>
            ))}
            {rowActions === undefined ? null : (
              <th>
                <span className={classes.unseen}>Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {widest === undefined ? null : (
            <WidestCells rows={widest} columns={columns} cells={cells} isTicked={ticked !== undefined} />
          )}
          <Gap height={first * rowHeight} span={span} />
          {rows.slice(first, last).map((row, index) => (
            <TableRow
              key={row.key}
              row={row}
              index={first + index}
              columns={columns}
              cells={cells}
              {...(ticked === undefined ? {} : { isTicked: ticked.has(row.key), onToggle: toggle })}
              {...(rowActions === undefined ? {} : { rowActions })}
            />
          ))}
          <Gap height={(rows.length - last) * rowHeight} span={span} />
        </tbody>
      </table>
    </section>
  );
}

interface TickAllProps extends Pick<RowsTableProps, 'what' | 'rows' | 'onTick'> {
  readonly ticked: ReadonlySet<string>;
}

function TickAll({ what, rows, ticked, onTick }: TickAllProps) {
  const isAll = useMemo(() => rows.length > 0 && rows.every(({ key }) => ticked.has(key)), [rows, ticked]);
  const isSome = useMemo(
    () => !isAll && ticked.size > 0 && rows.some(({ key }) => ticked.has(key)),
    [isAll, rows, ticked],
  );
  const setIndeterminate = useCallback(
    (box: HTMLInputElement | null) => {
      if (box !== null) box.indeterminate = isSome;
    },
    [isSome],
  );
  return (
    <input
      type="checkbox"
      className={classes.box}
      aria-label={`Tick all ${what} of the list`}
      ref={setIndeterminate}
      checked={isAll}
      onChange={() => onTick?.(isAll ? new Set() : new Set(rows.map(({ key }) => key)))}
    />
  );
}

/** The room of the rows that are not in the page. */
function Gap({ height, span }: { readonly height: number; readonly span: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function sortOf(name: string, sort: string | undefined): 'ascending' | 'descending' | 'none' {
  if (sort === name) return 'ascending';
  return sort === `-${name}` ? 'descending' : 'none';
}

/** Up, down, and as the server has them. */
function nextSort(name: string, sort: string | undefined): string | undefined {
  if (sort === name) return `-${name}`;
  return sort === `-${name}` ? undefined : name;
}
