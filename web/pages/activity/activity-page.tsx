import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { ActivityList } from '../../components/object/activity-list.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';

/** The delay after which typed text is searched. */
const searchDelayMs = 250;

/** The page with the activity of all objects that the user may read, and a search by the name of the object. */
export function ActivityPage() {
  const { name = '' } = useSearch({ from: '/activity' });
  const navigate = useNavigate();
  // The typed text until the URL is updated, which happens a moment after the user types.
  const [typed, setTyped] = useState<string>();
  const [searched] = useDebouncedValue(name, searchDelayMs);
  const text = typed ?? name;
  const search = (next: string) =>
    void navigate({ to: '/activity', search: next.trim() === '' ? {} : { name: next.trim() }, replace: true });
  return (
    <>
      <PageHeader
        title="Activity"
        about="Changes to objects, and instances that slept, woke or failed, in the last 30 days."
      />
      <Panel title="Latest activity">
        <TextInput
          mb="sm"
          maw={420}
          label="Search by name"
          placeholder="Virtual cluster, project or other object"
          leftSection={<Icon name="search" size={16} />}
          rightSection={
            text === '' ? null : (
              <CloseButton
                size="sm"
                aria-label="Clear search"
                onClick={() => {
                  setTyped(undefined);
                  search('');
                }}
              />
            )
          }
          value={text}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            search(event.currentTarget.value);
          }}
          onBlur={() => setTyped(undefined)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <ActivityList query={searched === '' ? {} : { search: searched }} />
      </Panel>
    </>
  );
}
