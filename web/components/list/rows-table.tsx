import { UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { columnTitle, type ListColumn } from '../../data/rows/list-columns.ts';
import { widestRows } from '../../data/rows/query-rows.ts';
import { selectRange, toggleKey } from '../../data/rows/row-selection.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import classes from './rows-table.module.css';
import { type CellRenderers, TableRow, WidestCells } from './table-row.tsx';
import { useOverflowMark } from './use-overflow-mark.ts';
import { useVisibleRows } from './visible-rows.ts';

export interface RowsTableProps<Type extends KubeObject> {
  readonly what: string;
  readonly rows: readonly Row<Type>[];
  readonly columns: readonly ListColumn<Type>[];
  readonly cells: CellRenderers<Type>;
  readonly sort: string | undefined;
  onSort(sort: string | undefined): void;
  readonly selectedKeys?: ReadonlySet<string>;
  onSelect?(selectedKeys: ReadonlySet<string>): void;
  readonly rowActions?: (row: Row<Type>) => ReactNode;
}

/** The height of each row in pixels. It is fixed, so row positions are known without measuring. */
const tableRowHeight = 44;

/**
 * The height in pixels of a card, which is a row on a phone: one line per column, and the padding. The style sheet has the
 * same values.
 */
const cardHeight = (columns: number) => 28 * columns + 17;

/** The screens on which rows are cards. The style sheet has the same query. */
const phone = '(max-width: 36em)';

/**
 * The number of rows above which the column widths come from the longest texts of all rows and not from the rendered
 * rows.
 */
const fewRows = 40;

/** A table of any length, or cards on a phone. It renders only the visible rows and some rows around them. */
export function RowsTable<Type extends KubeObject>({
  what,
  rows,
  columns,
  cells,
  sort,
  onSort,
  selectedKeys,
  onSelect,
  rowActions,
}: RowsTableProps<Type>) {
  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false }) === true;
  const rowHeight = isPhone ? cardHeight(columns.length) : tableRowHeight;
  const { first, last } = useVisibleRows(scroller, rows.length, rowHeight);
  useOverflowMark(scroller);
  const span = columns.length + (selectedKeys === undefined ? 0 : 1) + (rowActions === undefined ? 0 : 1);
  const hasMany = rows.length > fewRows && !isPhone;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is too slow to measure all rows again for each change.
  const widest = useMemo(() => (hasMany ? widestRows(rows, columns) : undefined), [rows.length, columns, isPhone]);

  // `toggle` reads the rows from a ref, so the function itself never changes. Otherwise, selecting one row would render
  // all other rows again.
  const now = useRef({ rows, selectedKeys, last: '' });
  useLayoutEffect(() => {
    now.current = { rows, selectedKeys, last: now.current.last };
  });
  const toggle = useCallback(
    (key: string, isRange: boolean) => {
      const { rows: all, selectedKeys: before = new Set<string>(), last } = now.current;
      now.current.last = key;
      onSelect?.(isRange ? selectRange(before, all, last, key) : toggleKey(before, key));
    },
    [onSelect],
  );

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll it only if it has the focus.
    <section ref={scroller} className={classes.scroller} aria-label={`Table of ${what}`} tabIndex={0}>
      <table className={classes.table} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {selectedKeys === undefined ? null : (
              <th className={classes.select}>
                <SelectAll
                  what={what}
                  rows={rows}
                  selectedKeys={selectedKeys}
                  {...(onSelect === undefined ? {} : { onSelect })}
                />
              </th>
            )}
            {columns.map(({ name, about }) => (
              <ColumnHead key={name} name={name} about={about} sort={sort} onSort={onSort} />
            ))}
            {rowActions === undefined ? null : (
              <th className={classes.actionsHead}>
                <span className={classes.unseen}>Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {widest === undefined ? null : (
            <WidestCells rows={widest} columns={columns} cells={cells} isSelected={selectedKeys !== undefined} />
          )}
          <Gap height={first * rowHeight} span={span} />
          {rows.slice(first, last).map((row, index) => (
            <TableRow
              key={row.key}
              row={row}
              index={first + index}
              columns={columns}
              cells={cells}
              {...(selectedKeys === undefined ? {} : { isSelected: selectedKeys.has(row.key), onToggle: toggle })}
              {...(rowActions === undefined ? {} : { rowActions })}
            />
          ))}
          <Gap height={(rows.length - last) * rowHeight} span={span} />
        </tbody>
      </table>
    </section>
  );
}

interface SelectAllProps extends Pick<RowsTableProps<KubeObject>, 'what' | 'rows' | 'onSelect'> {
  readonly selectedKeys: ReadonlySet<string>;
}

function SelectAll({ what, rows, selectedKeys, onSelect }: SelectAllProps) {
  const isAll = useMemo(() => rows.length > 0 && rows.every(({ key }) => selectedKeys.has(key)), [rows, selectedKeys]);
  const isSome = useMemo(
    () => !isAll && selectedKeys.size > 0 && rows.some(({ key }) => selectedKeys.has(key)),
    [isAll, rows, selectedKeys],
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
      aria-label={`Select all ${what}`}
      ref={setIndeterminate}
      checked={isAll}
      onChange={() => onSelect?.(isAll ? new Set() : new Set(rows.map(({ key }) => key)))}
    />
  );
}

interface ColumnHeadProps
  extends Pick<RowsTableProps<KubeObject>, 'sort' | 'onSort'>,
    Pick<ListColumn, 'name' | 'about'> {}

function ColumnHead({ name, about, sort, onSort }: ColumnHeadProps) {
  return (
    <th aria-sort={sortOf(name, sort)} title={about}>
      <UnstyledButton className={classes.head} onClick={() => onSort(nextSort(name, sort))}>
        {columnTitle(name)}
        <span aria-hidden="true">{sort === name ? ' ↑' : sort === `-${name}` ? ' ↓' : ''}</span>
      </UnstyledButton>
    </th>
  );
}

/** A spacer for the rows that are not rendered. */
function Gap({ height, span }: { readonly height: number; readonly span: number }) {
  if (height <= 0) return null;
  return (
    <tr className={classes.gap}>
      <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function sortOf(name: string, sort: string | undefined): 'ascending' | 'descending' | 'none' {
  if (sort === name) return 'ascending';
  return sort === `-${name}` ? 'descending' : 'none';
}

/** Returns the next sort order after a click on a column: ascending, descending, then the order of the server. */
function nextSort(name: string, sort: string | undefined): string | undefined {
  if (sort === name) return `-${name}`;
  return sort === `-${name}` ? undefined : name;
}
