import { CloseButton, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { pluralize } from '../../data/format-text.ts';
import { columnTitle, type ListColumn } from '../../data/rows/list-columns.ts';
import { columnFacets, type ListQuery } from '../../data/rows/query-rows.ts';
import type { RowsWithRetry } from '../../data/rows/use-rows.ts';
import { errorMessage } from '../error-notice.tsx';
import { Icon } from '../icon.tsx';
import classes from './list-controls.module.css';
import { useThrottledRows } from './use-throttled-rows.ts';

export interface ListControlsProps<Type extends KubeObject> {
  readonly what: string;
  readonly one: string;
  readonly rows: RowsWithRetry<Type>;
  readonly columns: readonly ListColumn<Type>[];
  readonly filters: readonly string[];
  /** The number of rows that match the search and filters. */
  readonly shown: number;
  readonly selection: ListQuery;
  onSelect(next: ListQuery): void;
  readonly more?: ReactNode;
  /** Buttons for the selected rows: `null` if no row is selected, `undefined` if rows cannot be selected. */
  readonly selectionActions?: ReactNode;
}

/** The search field, filters and row count of a list, and a notice if the data may be out of date. */
export function ListControls<Type extends KubeObject>(props: ListControlsProps<Type>) {
  const { what, one, rows, columns, filters, shown, selection, onSelect, more, selectionActions } = props;
  const { search = '', filter = {} } = selection;
  // The typed text; `undefined` if the URL already contains it. The URL is updated a moment after the user types.
  const [typed, setTyped] = useState<string>();
  const text = typed ?? search;
  const changeSearch = (next: string) => {
    setTyped(next);
    onSelect({ ...selection, search: next });
  };
  const counted = useThrottledRows(rows.rows);
  const facets = useMemo(
    () =>
      filters.flatMap((name) => {
        const column = columns.find((candidate) => candidate.name === name);
        return column === undefined ? [] : [{ name, found: columnFacets(counted, column) }];
      }),
    [filters, columns, counted],
  );
  const setFilter = (name: string, text: string | undefined) => {
    const { [name]: _, ...others } = filter;
    onSelect({ ...selection, filter: text === undefined ? others : { ...others, [name]: text } });
  };
  const count = (
    <Text size="sm" c="dimmed" className={classes.count ?? ''} role="status">
      {countText(rows, shown, { one, many: what })}
    </Text>
  );
  return (
    <div className={classes.controls}>
      <Group gap="sm" wrap="wrap">
        <TextInput
          aria-label={`Search ${what}`}
          placeholder="Search"
          leftSection={<Icon name="search" size={16} />}
          value={text}
          onChange={(event) => changeSearch(event.currentTarget.value)}
          onBlur={() => setTyped(undefined)}
          rightSection={
            text === '' ? null : (
              <CloseButton size="sm" aria-label="Clear search" onClick={() => onSelect({ ...selection, search: '' })} />
            )
          }
          className={classes.search ?? ''}
        />
        {facets.map(({ name, found }) => (
          <FacetFilter
            key={name}
            name={name}
            facets={found}
            chosen={filter[name]}
            onChoose={(text) => setFilter(name, text)}
          />
        ))}
        {selectionActions === undefined ? (
          <>
            {more}
            {count}
          </>
        ) : null}
      </Group>
      {selectionActions === undefined ? null : (
        // Always renders this line, even without content, so the layout does not shift when the user selects a row.
        <div className={classes.second}>
          {selectionActions ?? count}
          <span className={classes.rest}>{more}</span>
        </div>
      )}
      {rows.state === 'interrupted' ? (
        <Text size="sm" className={classes.old ?? ''} title={errorMessage(rows.error)} role="status">
          Connection lost. Retrying automatically. The data may be out of date.
        </Text>
      ) : null}
    </div>
  );
}

interface FacetFilterProps {
  /** The name of the column. */
  readonly name: string;
  readonly facets: ReturnType<typeof columnFacets>;
  /** The selected text: only rows with this text in the column are shown. `undefined` if the filter is off. */
  readonly chosen: string | undefined;
  onChoose(text: string | undefined): void;
}

/** A filter by the texts of a column. Each option is one text, with the number of rows that have this text. */
function FacetFilter({ name, facets, chosen, onChoose }: FacetFilterProps) {
  const missing =
    chosen === undefined || facets.some(({ text }) => text === chosen) ? [] : [{ text: chosen, count: 0 }];
  return (
    <NativeSelect
      className={classes.filter ?? ''}
      aria-label={`Filter by ${name.toLowerCase()}`}
      // The prefix `=` distinguishes the filter value "empty text" from no filter.
      value={chosen === undefined ? '' : `=${chosen}`}
      onChange={({ currentTarget: { value } }) => onChoose(value === '' ? undefined : value.slice(1))}
      data={[
        { value: '', label: `${columnTitle(name)}: all` },
        ...[...facets, ...missing].map(({ text, count }) => ({
          value: `=${text}`,
          label: `${text === '' ? 'None' : text} (${count})`,
        })),
      ]}
    />
  );
}

/** Returns the number of rows with its noun: "1 virtual cluster", or "2 of 5 access keys" for a filtered list. */
function countText(
  { rows, expected, state }: RowsWithRetry,
  shown: number,
  { one, many }: { readonly one: string; readonly many: string },
): string {
  const count = rows.length;
  if (state === 'loading') {
    return expected === undefined
      ? `${pluralize(count, one, many)} loaded`
      : `${count} of ${pluralize(expected, one, many)} loaded`;
  }
  return shown === count ? pluralize(count, one, many) : `${shown} of ${pluralize(count, one, many)}`;
}
