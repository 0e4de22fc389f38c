import { Group, Switch, Text } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { type ListColumn, serverColumns } from '../../data/rows/list-columns.ts';
import { queryRows } from '../../data/rows/query-rows.ts';
import { SortedRows } from '../../data/rows/sorted-rows.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import type { RowsWithRetry } from '../../data/rows/use-rows.ts';
import { EmptyState, type EmptyStateProps } from '../empty-state.tsx';
import { ErrorNotice } from '../error-notice.tsx';
import { LoadingIndicator } from '../loading-indicator.tsx';
import { ListControls } from './list-controls.tsx';
import { RowsTable } from './rows-table.tsx';
import type { CellRenderers } from './table-row.tsx';
import { useListQuery } from './use-list-query.ts';
import { useThrottledRows } from './use-throttled-rows.ts';

export interface ResourceListProps<Type extends KubeObject> {
  /** The listed objects in the plural, for labels: "virtual clusters". */
  readonly what: string;
  /** One listed object, for the row count: "virtual cluster". Optional; defaults to `what` without its final "s". */
  readonly one?: string;
  readonly rows: RowsWithRetry<Type>;
  /** Columns that the page adds. They are shown after the name. */
  readonly extraColumns?: readonly ListColumn<Type>[];
  /** The names of server columns that the page hides. */
  readonly hiddenColumns?: readonly string[];
  /** Cell renderers by column name. Optional; cells without a renderer show plain text. */
  readonly cells?: CellRenderers<Type>;
  /** The names of the columns that can be filtered. Each filter offers the values that occur in the column. */
  readonly filters?: readonly string[];
  readonly empty: EmptyStateProps;
  /** Renders the actions for the selected rows. Optional; without it, rows cannot be selected. */
  readonly bulk?: (selected: readonly Row<Type>[], clear: () => void) => ReactNode;
  /** Renders the actions at the end of a row. Optional. */
  readonly rowActions?: (row: Row<Type>) => ReactNode;
}

const noNames: readonly string[] = [];
const noSelected: readonly never[] = [];
const noCells = {};
const noColumns: readonly never[] = [];

/**
 * The list that all pages use. It shows the columns that the server defines, updates live, and offers search, filters,
 * sorting, selection and bulk actions. A page provides the rows and the renderers of its cells.
 */
export function ResourceList<Type extends KubeObject>(props: ResourceListProps<Type>) {
  const {
    what,
    one = what.replace(/s$/, ''),
    rows,
    extraColumns = noColumns,
    hiddenColumns = noNames,
    filters = noNames,
    empty,
  } = props;
  const [selection, setSelection] = useListQuery();
  const [isWide, setWide] = useState(false);
  const [selectedKeys, setSelectedKeys] = useState<ReadonlySet<string>>(new Set());
  const all = useColumns(rows.columns, extraColumns, hiddenColumns);
  const columns = useMemo(() => (isWide ? all : all.filter((column) => !column.isWide)), [all, isWide]);
  const [sorted] = useState(() => new SortedRows<Type>());
  const shown = useMemo(() => queryRows(rows.rows, all, selection, sorted), [rows.rows, all, selection, sorted]);
  const throttled = useThrottledRows(rows.rows);
  const selected = useMemo(
    () => (selectedKeys.size === 0 ? noSelected : throttled.filter(({ key }) => selectedKeys.has(key))),
    [throttled, selectedKeys],
  );
  const clear = useCallback(() => setSelectedKeys(new Set()), []);

  const isUnseen = rows.state === 'interrupted' && rows.columns.length === 0;
  if (rows.state === 'refused' || isUnseen) return <ErrorNotice error={rows.error} onRetry={rows.retry} />;
  if (rows.state === 'loading' && rows.rows.length === 0) return <LoadingIndicator message={`Loading ${what}`} />;
  if (rows.rows.length === 0 && rows.state === 'live') {
    return (
      <div className="card">
        <EmptyState {...empty} />
      </div>
    );
  }
  return (
    <div className="card">
      <ListControls
        what={what}
        one={one}
        rows={rows}
        columns={all}
        filters={filters}
        shown={shown.length}
        selection={selection}
        onSelect={setSelection}
        more={
          all.some((column) => column.isWide) ? (
            <Switch size="xs" label="More columns" checked={isWide} onChange={() => setWide(!isWide)} />
          ) : undefined
        }
        {...(props.bulk === undefined
          ? {}
          : {
              selectionActions:
                selected.length === 0 ? null : (
                  <SelectionToolbar what={what} count={selected.length}>
                    {props.bulk(selected, clear)}
                  </SelectionToolbar>
                ),
            })}
      />
      <RowsTable
        what={what}
        rows={shown}
        columns={columns}
        cells={props.cells ?? noCells}
        sort={selection.sort}
        onSort={(sort) => setSelection({ ...selection, sort })}
        {...(props.bulk === undefined ? {} : { selectedKeys, onSelect: setSelectedKeys })}
        {...(props.rowActions === undefined ? {} : { rowActions: props.rowActions })}
      />
      {shown.length === 0 ? (
        <Text p="lg" c="dimmed" ta="center">
          No {what} match your search and filters.
        </Text>
      ) : null}
    </div>
  );
}

/** Returns the server's columns except the hidden ones, with the page's columns inserted after the name. */
function useColumns<Type extends KubeObject>(
  columns: RowsWithRetry<Type>['columns'],
  extraColumns: readonly ListColumn<Type>[],
  hiddenColumns: readonly string[],
): readonly ListColumn<Type>[] {
  return useMemo(() => {
    const own = serverColumns(columns).filter(({ name }) => !hiddenColumns.includes(name));
    return [...own.slice(0, 1), ...extraColumns, ...own.slice(1)];
  }, [columns, extraColumns, hiddenColumns]);
}

interface SelectionToolbarProps {
  readonly what: string;
  /** The number of selected rows. */
  readonly count: number;
  readonly children: ReactNode;
}

function SelectionToolbar({ what, count, children }: SelectionToolbarProps) {
  return (
    <Group gap="xs" role="toolbar" aria-label={`Actions for selected ${what}`}>
      <Text size="sm" fw={600}>
        {count} selected
      </Text>
      {children}
    </Group>
  );
}
