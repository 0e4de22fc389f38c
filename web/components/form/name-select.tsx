import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { columnText } from '../../data/rows/fleet-counts.ts';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { firstOptionOnEnter } from './first-option-on-enter.ts';

export interface NameSelectProps {
  readonly label: string;
  readonly description?: string;
  /** The objects to choose from. */
  readonly rows: RowsSnapshot;
  /** Returns the text that identifies a row. Optional; defaults to the name of the object. */
  readonly nameOf?: (row: Row) => string;
  readonly value: string | undefined;
  onChange(name: string | undefined): void;
}

/** The maximum number of options that the field shows. To find other objects, the user types a search. */
const maxOptions = 50;

const ownName = (row: Row) => row.metadata.name ?? '';

/** A field that selects an object of a list by its name or display name, with a search. */
export function NameSelect({ label, description, rows, nameOf = ownName, value, onChange }: NameSelectProps) {
  const [search, setSearch] = useState('');
  const displayName = columnText(rows, 'Display Name');
  const options = useMemo(
    () =>
      rows.rows.map((row) => {
        const name = nameOf(row);
        const shown = displayName(row);
        return { value: name, label: shown === '' || shown === name ? name : `${shown} (${name})` };
      }),
    [rows.rows, nameOf, displayName],
  );
  const chosen = options.find((option) => option.value === value);
  // After a selection, the text field contains the label of the object, which is not a search text.
  const words = search === chosen?.label ? [] : search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = options.filter((option) => words.every((word) => option.label.toLowerCase().includes(word)));
  const shown = found.slice(0, maxOptions);
  // A selected object must be among the options, because the field shows only options.
  const selected = value === undefined ? [] : [chosen ?? { value, label: value }];
  return (
    <Select
      label={label}
      description={description}
      placeholder="Search by name"
      searchable
      selectFirstOptionOnChange
      onKeyDownCapture={firstOptionOnEnter(search !== chosen?.label)}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      searchValue={search}
      onSearchChange={setSearch}
      value={value ?? null}
      onChange={(name) => onChange(name ?? undefined)}
      data={[...shown, ...selected.filter((one) => !shown.some((option) => option.value === one.value))]}
      // Returns all options, because `data` contains only matching options.
      filter={({ options: all }) => all}
      nothingFoundMessage={rows.state === 'loading' ? 'Loading…' : 'No matches'}
      maxDropdownHeight={320}
      comboboxProps={{ shadow: 'md' }}
    />
  );
}
