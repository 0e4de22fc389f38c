import { Group, Switch, Text } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { type ListColumn, serverColumns } from '../data/list-columns.ts';
import { selectRows } from '../data/select-rows.ts';
import { SortedRows } from '../data/sorted-rows.ts';
import type { Row } from '../data/table-rows.ts';
import type { UsedRows } from '../data/use-rows.ts';
import { EmptyState, type EmptyStateProps } from './empty-state.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { ListControls } from './list-controls.tsx';
import { RowsTable } from './rows-table.tsx';
import { useCalmRows } from './use-calm-rows.ts';
import { useListSelection } from './use-list-selection.ts';
import { Waiting } from './waiting.tsx';

export interface ResourceListProps {
  /** The plural of what is listed, in words: "virtual clusters". */
  readonly what: string;
  readonly rows: UsedRows;
  /** Columns that the page adds, after the name. */
  readonly extraColumns?: readonly ListColumn[];
  /** Columns of the server that this page leaves out. */
  readonly leaveOut?: readonly string[];
  /** How a column is drawn; absent: as text. */
  readonly cells?: Readonly<Record<string, (row: Row, text: string) => ReactNode>>;
  /** Columns that can be filtered by, each a choice of the texts that are there. */
  readonly filters?: readonly string[];
  readonly empty: EmptyStateProps;
  /** What can be done with the rows that are ticked; absent: nothing can be ticked. */
  readonly bulk?: (selected: readonly Row[], clear: () => void) => ReactNode;
  /** At the end of each row. */
  readonly rowActions?: (row: Row) => ReactNode;
}

const noNames: readonly string[] = [];
const noSelected: readonly Row[] = [];
const noCells = {};
const noColumns: readonly ListColumn[] = [];

/**
 * A list as every page shows one: the server's columns, live; search, filters, sort; rows to tick and what to do with
 * them. A page gives title, rows, and how its columns look.
 */
export function ResourceList(props: ResourceListProps) {
  const { what, rows, extraColumns = noColumns, leaveOut = noNames, filters = noNames, empty } = props;
  const [selection, setSelection] = useListSelection();
  const [isWide, setWide] = useState(false);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(() => {
    const own = serverColumns(rows.columns).filter(({ name }) => !leaveOut.includes(name));
    return [...own.slice(0, 1), ...extraColumns, ...own.slice(1)];
  }, [rows.columns, extraColumns, leaveOut]);
  const columns = useMemo(() => (isWide ? all : all.filter((column) => !column.isWide)), [all, isWide]);
  const [sorted] = useState(() => new SortedRows());
  const shown = useMemo(() => selectRows(rows.rows, all, selection, sorted), [rows.rows, all, selection, sorted]);
  const calm = useCalmRows(rows.rows);
  const selected = useMemo(
    () => (ticked.size === 0 ? noSelected : calm.filter(({ key }) => ticked.has(key))),
    [calm, ticked],
  );
  const clear = useCallback(() => setTicked(new Set()), []);

  const isUnseen = rows.state === 'interrupted' && rows.columns.length === 0;
  if (rows.state === 'refused' || isUnseen) return <ErrorNotice error={rows.error} onRetry={rows.retry} />;
  if (rows.state === 'loading' && rows.rows.length === 0) return <Waiting words={`Fetching the ${what}`} />;
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
              ticked:
                selected.length === 0 ? null : (
                  <Group gap="xs" role="toolbar" aria-label={`What to do with the ${what} that are ticked`}>
                    <Text size="sm" fw={600}>
                      {selected.length} ticked
                    </Text>
                    {props.bulk(selected, clear)}
                  </Group>
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
        {...(props.bulk === undefined ? {} : { ticked, onTick: setTicked })}
        {...(props.rowActions === undefined ? {} : { rowActions: props.rowActions })}
      />
      {shown.length === 0 ? (
        <Text p="lg" c="dimmed" ta="center">
          None of the {rows.rows.length} {what} matches what you are looking for.
        </Text>
      ) : null}
    </div>
  );
}
