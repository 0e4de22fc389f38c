import { type ComboboxItem, type ComboboxItemGroup, Select, Text } from '@mantine/core';
import { useState } from 'react';
import {
  type KnownPrincipal,
  type Principal,
  type PrincipalChoices,
  type PrincipalKind,
  parsePrincipalKey,
  principalChoices,
  principalKey,
  principalTitle,
} from '../../data/principals.ts';
import { usePrincipals } from '../../data/use-principals.ts';
import { firstOptionOnEnter } from './first-option-on-enter.ts';

export interface PrincipalPickerProps {
  readonly label: string;
  readonly value: Principal | undefined;
  onChange(value: Principal | undefined): void;
  readonly allow?: readonly PrincipalKind[];
  readonly description?: string;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
}

const usersAndTeams: readonly PrincipalKind[] = ['User', 'Team'];
const groupTitles: Readonly<Record<PrincipalKind, string>> = { User: 'Users', Team: 'Teams' };

/**
 * A field that selects a user or team, with a search by name, display name or email. A principal that the caller may
 * not see can be selected by exact name; the server checks that the principal exists.
 */
export function PrincipalPicker(props: PrincipalPickerProps) {
  const { label, value, onChange, allow = usersAndTeams, description, error, required, autoFocus } = props;
  const { list, byKey, isLoading } = usePrincipals();
  const [search, setSearch] = useState('');
  const chosen = value === undefined ? null : principalKey(value);
  const title = (one: Principal) => principalTitle(byKey.get(principalKey(one)) ?? { ...one, displayName: '' });
  // After a selection, the text field contains the title of the principal, which is not a search text.
  const isSearch = value === undefined || search !== title(value);
  const choices = principalChoices(list, isSearch ? search : '', allow);

  return (
    <Select
      label={label}
      description={description}
      error={error}
      required={required ?? false}
      {...(autoFocus === true ? { 'data-autofocus': true } : {})}
      // Focus alone does not open the dropdown: a dialog focuses its first field, and an open dropdown would cover the
      // dialog.
      openOnFocus={false}
      placeholder="Search by name"
      searchable
      selectFirstOptionOnChange
      onKeyDownCapture={firstOptionOnEnter(isSearch)}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      searchValue={search}
      onSearchChange={setSearch}
      value={chosen}
      onChange={(key) => onChange(key === null ? undefined : parsePrincipalKey(key))}
      data={optionsOf(choices, value, allow, title)}
      // Returns all options, because `principalChoices` has already filtered them.
      filter={({ options }) => options}
      renderOption={({ option }) => <PrincipalOption principal={parsePrincipalKey(option.value)} known={byKey} />}
      nothingFoundMessage={isLoading ? 'Loading users and teams…' : 'No matches'}
      maxDropdownHeight={320}
      comboboxProps={{ shadow: 'md' }}
    />
  );
}

function optionsOf(
  { found, more, exactNames }: PrincipalChoices,
  value: Principal | undefined,
  allow: readonly PrincipalKind[],
  title: (one: Principal) => string,
): (ComboboxItem | ComboboxItemGroup<ComboboxItem>)[] {
  const option = (one: Principal): ComboboxItem => ({ value: principalKey(one), label: title(one) });
  const groups = allow.map((kind) => ({
    group: groupTitles[kind],
    items: found.filter((one) => one.kind === kind).map(option),
  }));
  const isThere = (one: Principal) => found.some((each) => principalKey(each) === principalKey(one));
  // The field can show the title of the selected principal only if the principal is among the options.
  const others = [...exactNames, ...(value === undefined ? [] : [value])].filter((one) => !isThere(one));
  const byName = [...new Map(others.map((one) => [principalKey(one), option(one)])).values()];
  return [
    ...groups.filter(({ items }) => items.length > 0),
    ...(byName.length === 0 ? [] : [{ group: 'Use this exact name', items: byName }]),
    ...(more === 0 ? [] : [{ group: `${more} more. Keep typing to narrow the list.`, items: [] }]),
  ];
}

interface PrincipalOptionProps {
  readonly principal: Principal;
  readonly known: ReadonlyMap<string, KnownPrincipal>;
}

function PrincipalOption({ principal, known }: PrincipalOptionProps) {
  const { displayName = '', email = '' } = known.get(principalKey(principal)) ?? {};
  const details = [displayName === '' ? '' : principal.name, email].filter(Boolean).join(' · ');
  return (
    <div>
      <Text size="sm">
        {displayName === '' ? `${principal.kind === 'User' ? 'User' : 'Team'} ${principal.name}` : displayName}
      </Text>
      {details === '' ? null : (
        <Text size="xs" c="dimmed">
          {details}
        </Text>
      )}
    </div>
  );
}
