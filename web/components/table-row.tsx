import { memo, type ReactNode } from 'react';
import type { ListColumn } from '../data/list-columns.ts';
import type { Row } from '../data/table-rows.ts';
import { Age } from './age.tsx';
import classes from './rows-table.module.css';

/** How columns are drawn, by name; those that are not named here are text. */
export type CellDrawings = Readonly<Record<string, (row: Row, text: string) => ReactNode>>;

interface TableRowProps {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly ListColumn[];
  readonly cells: CellDrawings;
  readonly isTicked?: boolean;
  /** `isRange`: with all between it and the last one, as the shift key asks for. */
  onToggle?(key: string, isRange: boolean): void;
  readonly rowActions?: (row: Row) => ReactNode;
}

/** Drawn once for as long as nothing of it is another: a table that is scrolled draws what comes into sight, no more. */
export const TableRow = memo(function TableRow(props: TableRowProps) {
  const { row, index, columns, cells, isTicked, onToggle, rowActions } = props;
  return (
    <tr aria-rowindex={index + 2} data-key={row.key} data-ticked={isTicked === true ? '' : undefined}>
      {isTicked === undefined ? null : (
        <td className={classes.tick}>
          <input
            type="checkbox"
            className={classes.box}
            aria-label={`Tick ${row.metadata.name ?? ''}`}
            checked={isTicked}
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
  /** For each column the row whose text is the longest there. */
  readonly rows: readonly (Row | undefined)[];
  readonly isTicked: boolean;
}

/** Nobody sees them: they keep the columns as wide as all rows need, so that nothing jumps when the table is scrolled. */
export const WidestCells = memo(function WidestCells({ rows, columns, cells, isTicked }: WidestCellsProps) {
  return (
    <tr className={classes.widest}>
      {isTicked ? <td /> : null}
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
