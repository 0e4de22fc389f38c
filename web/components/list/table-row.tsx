import { memo, type ReactNode } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { columnTitle, type ListColumn } from '../../data/rows/list-columns.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { Age } from '../object/age.tsx';
import classes from './rows-table.module.css';

/** `memo` with a type that keeps the type parameters of the component. */
const memoGeneric = memo as <Component>(component: Component) => Component;

/** Cell renderers by column name. Columns without a renderer show plain text. */
export type CellRenderers<Type extends KubeObject = KubeObject> = Readonly<
  Record<string, (row: Row<Type>, text: string) => ReactNode>
>;

interface TableRowProps<Type extends KubeObject> {
  readonly row: Row<Type>;
  readonly index: number;
  readonly columns: readonly ListColumn<Type>[];
  readonly cells: CellRenderers<Type>;
  readonly isSelected?: boolean;
  /**
   * Called when the user clicks the checkbox. `isRange` is true for a shift-click, which selects all rows from the last
   * clicked row to this one.
   */
  onToggle?(key: string, isRange: boolean): void;
  readonly rowActions?: (row: Row<Type>) => ReactNode;
}

/** A row of a table. It is memoized, so scrolling renders only the rows that become visible. */
export const TableRow = memoGeneric(function TableRow<Type extends KubeObject>(props: TableRowProps<Type>) {
  const { row, index, columns, cells, isSelected, onToggle, rowActions } = props;
  return (
    <tr aria-rowindex={index + 2} data-key={row.key} data-selected={isSelected === true ? '' : undefined}>
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
        <td key={column.name} data-label={columnTitle(column.name)}>
          <div className={classes.cell}>{cellOf(column, row, cells)}</div>
        </td>
      ))}
      {rowActions === undefined ? null : <td className={classes.actions}>{rowActions(row)}</td>}
    </tr>
  );
});

interface WidestCellsProps<Type extends KubeObject> extends Pick<TableRowProps<Type>, 'columns' | 'cells'> {
  /** For each column, the row with the longest text. */
  readonly rows: readonly (Row<Type> | undefined)[];
  readonly isSelected: boolean;
}

/**
 * An invisible row with the longest text of each column. It keeps the columns wide enough for all rows, so the layout
 * does not shift when the user scrolls.
 */
export const WidestCells = memoGeneric(function WidestCells<Type extends KubeObject>({
  rows,
  columns,
  cells,
  isSelected,
}: WidestCellsProps<Type>) {
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

function cellOf<Type extends KubeObject>(
  column: ListColumn<Type>,
  row: Row<Type>,
  cells: CellRenderers<Type>,
): ReactNode {
  const text = column.text(row);
  const draw = cells[column.name];
  if (draw !== undefined) return draw(row, text);
  if (column.name === 'Age') return <Age since={row.metadata.creationTimestamp} />;
  return text === '' ? '–' : <span title={text}>{text}</span>;
}
