import { memo, type ReactNode } from 'react';
import type { ListColumn } from '../data/list-columns.ts';
import type { Row } from '../data/table-rows.ts';
import { Age } from './age.tsx';
import classes from './rows-table.module.css';

/** Cell renderers by column name; other columns are rendered as text. */
export type CellDrawings = Readonly<Record<string, (row: Row, text: string) => ReactNode>>;

interface TableRowProps {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly ListColumn[];
  readonly cells: CellDrawings;
  readonly isSelected?: boolean;
  /** `isRange` is true for a shift-click: it selects all rows between this one and the last one. */
  onToggle?(key: string, isRange: boolean): void;
  readonly rowActions?: (row: Row) => ReactNode;
}

/** Memoized: scrolling renders only rows that become visible. */
export const TableRow = memo(function TableRow(props: TableRowProps) {
  const { row, index, columns, cells, isSelected, onToggle, rowActions } = props;
  return (
    <tr aria-rowindex={index + 2} data-key={row.key} data-selectedKeys={isSelected === true ? '' : undefined}>
      {isSelected === undefined ? null : (
        <td className={classes.select}>
          <input
            type="checkbox"
            className={classes.box}
            aria-label={`Select ${row.metadata.name ?? ''}`}
            checked={isSelected}
            onChange={({ nativeEvent }) =>
              onToggle?.(row.key, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.name}>
          <div className={classes.cell}>{cellOf(column, row, cells)}</div>
        </td>
      ))}
      {rowActions === undefined ? null : <td className={classes.actions}>{rowActions(row)}</td>}
    </tr>
  );
});

interface WidestCellsProps extends Pick<TableRowProps, 'columns' | 'cells'> {
  /** The row with the longest text of each column. */
  readonly rows: readonly (Row | undefined)[];
  readonly isSelected: boolean;
}

/**
 * Invisible cells that keep the columns as wide as all rows need, so that the layout does not shift while scrolling.
 */
export const WidestCells = memo(function WidestCells({ rows, columns, cells, isSelected }: WidestCellsProps) {
  return (
    <tr className={classes.widest}>
      {isSelected ? <td /> : null}
      {columns.map((column, index) => {
        const row = rows[index];
        return (
          <td key={column.name}>
            {row === undefined ? null : <div className={classes.cell}>{cellOf(column, row, cells)}</div>}
          </td>
        );
      })}
    </tr>
  );
});

function cellOf(column: ListColumn, row: Row, cells: CellDrawings): ReactNode {
  const text = column.text(row);
  const draw = cells[column.name];
  if (draw !== undefined) return draw(row, text);
  if (column.name === 'Age') return <Age since={row.metadata.creationTimestamp} />;
  return text === '' ? '–' : <span title={text}>{text}</span>;
}
