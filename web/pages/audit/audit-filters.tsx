import { Button, Collapse, Group, NativeSelect, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { formatTime } from '../../data/format-time.ts';
import { type AuditSearch, countExtraFilters, type SearchPeriod } from './audit-search.ts';

export interface AuditFiltersProps {
  readonly search: AuditSearch;
  onSearch(search: AuditSearch): void;
  /** True while a search request is running. */
  readonly isBusy: boolean;
}

type TextName = 'text' | 'user' | 'accessKey' | 'verb' | 'resource' | 'namespace' | 'name' | 'code' | 'since' | 'until';

const fields: readonly { readonly name: TextName; readonly label: string; readonly placeholder: string }[] = [
  { name: 'user', label: 'User', placeholder: 'anna' },
  { name: 'accessKey', label: 'Access key', placeholder: 'ci' },
  { name: 'verb', label: 'Verb', placeholder: 'create' },
  { name: 'code', label: 'Response code', placeholder: '403 or 4xx' },
  { name: 'resource', label: 'Resource', placeholder: 'virtualclusterinstances' },
  { name: 'namespace', label: 'Namespace', placeholder: 'default' },
  { name: 'name', label: 'Name', placeholder: 'demo' },
];

const times: readonly { readonly value: SearchPeriod | ''; readonly label: string }[] = [
  { value: '', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
];

const decisions = [
  { value: '', label: 'Allowed or denied' },
  { value: 'allowed', label: 'Allowed' },
  { value: 'denied', label: 'Denied' },
];

/** The search form of the audit log. Text fields apply when the form is submitted; selections apply immediately. */
export function AuditFilters({ search, onSearch, isBusy }: AuditFiltersProps) {
  const [typed, setTyped] = useState<Partial<Record<TextName, string>>>({});
  const [isOpen, { toggle }] = useDisclosure(countExtraFilters(search) > 0);
  const textOf = (name: TextName) => typed[name] ?? search[name] ?? '';
  const set = (name: TextName, value: string) => setTyped({ ...typed, [name]: value });
  const count = countExtraFilters(search);

  function apply(more: AuditSearch = {}): void {
    const texts = Object.entries(typed).map(([name, value]) => [name, value.trim() || undefined]);
    onSearch({ ...search, ...Object.fromEntries(texts), ...more });
    setTyped({});
  }

  function clear(): void {
    setTyped({});
    onSearch({});
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    apply();
  }

  return (
    <form onSubmit={submit} aria-label="Search audit log">
      <Group p="md" gap="sm" wrap="wrap">
        <TextInput
          aria-label="Search text"
          placeholder="Search all fields"
          leftSection={<Icon name="search" size={16} />}
          value={textOf('text')}
          onChange={(event) => set('text', event.currentTarget.value)}
          flex={1}
          miw={220}
        />
        <NativeSelect
          aria-label="Time"
          data={[...times]}
          value={search.within ?? ''}
          onChange={(event) => {
            const within = event.currentTarget.value as SearchPeriod | '';
            apply({ within: within === '' ? undefined : within });
          }}
        />
        <NativeSelect
          aria-label="Decision"
          data={decisions}
          value={search.decision ?? ''}
          onChange={(event) => {
            const decision = event.currentTarget.value;
            apply({ decision: decision === 'allowed' || decision === 'denied' ? decision : undefined });
          }}
        />
        <Button type="submit" loading={isBusy}>
          Search
        </Button>
        <Button
          variant="default"
          leftSection={<Icon name="filter" size={16} />}
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls="audit-filters"
        >
          {count === 0 ? 'More filters' : `More filters (${count})`}
        </Button>
      </Group>
      <Collapse expanded={isOpen} id="audit-filters">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} px="md" pb="md" spacing="sm">
          <ExtraFilters search={search} textOf={textOf} onText={set} onApply={apply} onClear={clear} />
        </SimpleGrid>
      </Collapse>
    </form>
  );
}

interface ExtraFiltersProps {
  readonly search: AuditSearch;
  /** Returns the current text of a field, even if the user has not submitted the form. */
  textOf(name: TextName): string;
  onText(name: TextName, text: string): void;
  /** Starts a search with the typed texts and the selections in `more`. */
  onApply(more: AuditSearch): void;
  onClear(): void;
}

/** The filters that are shown on request. */
function ExtraFilters({ search, textOf, onText, onApply, onClear }: ExtraFiltersProps) {
  return (
    <>
      {fields.map(({ name, label, placeholder }) => (
        <TextInput
          key={name}
          label={label}
          placeholder={placeholder}
          value={textOf(name)}
          onChange={(event) => onText(name, event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      ))}
      <TimeField label="From" value={textOf('since')} onChange={(value) => onText('since', value)} />
      <TimeField label="To" value={textOf('until')} onChange={(value) => onText('until', value)} />
      <Switch
        mt={28}
        label="Include all stages"
        description="Also show when requests started, not only when they completed."
        checked={search.stages === 'all'}
        onChange={(event) => onApply({ stages: event.currentTarget.checked ? 'all' : undefined })}
      />
      <Switch
        mt={28}
        label="Include dry runs"
        description="Also show requests that only check a change, for example while a form is filled in."
        checked={search.dryRuns === 'include'}
        onChange={(event) => onApply({ dryRuns: event.currentTarget.checked ? 'include' : undefined })}
      />
      <Button mt={22} variant="default" onClick={onClear}>
        Clear all filters
      </Button>
    </>
  );
}

interface TimeFieldProps {
  readonly label: string;
  /** The time in RFC 3339 format; '' if the field is empty. */
  readonly value: string;
  onChange(value: string): void;
}

/** An input for a date and time. It shows the browser's time zone; `value` is in UTC. */
function TimeField({ label, value, onChange }: TimeFieldProps) {
  const time = new Date(value);
  const local = Number.isNaN(time.getTime())
    ? ''
    : new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  return (
    <TextInput
      type="datetime-local"
      label={label}
      // Shows the time in the console's format too, because each browser has another format in the field.
      description={local === '' ? undefined : formatTime(value)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={local}
      onChange={(event) => {
        const chosen = new Date(event.currentTarget.value);
        onChange(Number.isNaN(chosen.getTime()) ? '' : chosen.toISOString());
      }}
    />
  );
}
