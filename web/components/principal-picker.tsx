import { type ComboboxItem, type ComboboxItemGroup, Select, Text } from '@mantine/core';
import { useState } from 'react';
import {
  type KnownPrincipal,
  type Principal,
  type PrincipalChoices,
  type PrincipalKind,
  principalChoices,
  principalKey,
  principalOf,
  titleOf,
} from '../data/principals.ts';
import { usePrincipals } from '../data/use-principals.ts';

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
 * A user or a team, found by typing some of the name, what people call it, or the address. Somebody whom one may not
 * see can be named too: the server says whether there is such a one.
 */
export function PrincipalPicker(props: PrincipalPickerProps) {
  const { label, value, onChange, allow = usersAndTeams, description, error, required, autoFocus } = props;
  const { list, byKey, isLoading } = usePrincipals();
  const [words, setWords] = useState('');
  const chosen = value === undefined ? null : principalKey(value);
  const title = (one: Principal) => titleOf(byKey.get(principalKey(one)) ?? { ...one, displayName: '' });
  // What stands in the field after a choice is no search.
  const isSearch = value === undefined || words !== title(value);
  const choices = principalChoices(list, isSearch ? words : '', allow);

  return (
    <Select
      label={label}
      description={description}
      error={error}
      required={required ?? false}
      {...(autoFocus === true ? { 'data-autofocus': true } : {})}
      // A dialog that begins with it is seen whole.
      openOnFocus={false}
      placeholder="Type some of a name"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      searchValue={words}
      onSearchChange={setWords}
      value={chosen}
      onChange={(key) => onChange(key === null ? undefined : principalOf(key))}
      data={optionsOf(choices, value, allow, title)}
      // They are chosen already.
      filter={({ options }) => options}
      renderOption={({ option }) => <PrincipalOption principal={principalOf(option.value)} known={byKey} />}
      nothingFoundMessage={isLoading ? 'Fetching users and teams…' : 'Nobody of that name'}
      maxDropdownHeight={320}
      comboboxProps={{ shadow: 'md' }}
    />
  );
}

function optionsOf(
  { found, more, unseen }: PrincipalChoices,
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
  // The one that is chosen has to be among them, or its title would not be known.
  const others = [...unseen, ...(value === undefined ? [] : [value])].filter((one) => !isThere(one));
  const byName = [...new Map(others.map((one) => [principalKey(one), option(one)])).values()];
  return [
    ...groups.filter(({ items }) => items.length > 0),
    ...(byName.length === 0 ? [] : [{ group: 'By its name', items: byName }]),
    ...(more === 0 ? [] : [{ group: `And ${more} more: type some letters more`, items: [] }]),
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
