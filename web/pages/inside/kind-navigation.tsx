import { NativeSelect, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { KindName } from '../../components/object/kind-name.tsx';
import type { ServedKind } from '../../data/discovery.ts';
import { useExplorer } from './explorer-context.ts';
import { kindId } from './explorer-ids.ts';
import classes from './kind-navigation.module.css';
import type { KindSection } from './kind-sections.ts';

export interface KindNavigationProps {
  readonly sections: readonly KindSection[];
  readonly chosen: ServedKind | undefined;
}

/** A navigation with the kinds that the caller may list: a sidebar, or a select field on narrow screens. */
export function KindNavigation({ sections, chosen }: KindNavigationProps) {
  const { project, name } = useExplorer();
  const { namespace } = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const query = search.trim().toLowerCase();
  const found = sections
    .map(({ title, kinds }) => ({ title, kinds: kinds.filter((kind) => matchesSearch(kind, query)) }))
    .filter(({ kinds }) => kinds.length > 0);
  const searchFor = (kind: string) => ({ kind, ...(namespace === undefined ? {} : { namespace }) });
  return (
    <>
      <NativeSelect
        hiddenFrom="md"
        label="Kind"
        value={chosen === undefined ? '' : kindId(chosen)}
        onChange={(event) => void navigate({ to: '.', search: searchFor(event.currentTarget.value) })}
        data={[
          ...(chosen === undefined ? [{ value: '', label: 'Select a kind' }] : []),
          ...sections.map(({ title, kinds }) => ({
            group: title,
            items: kinds.map((kind) => ({ value: kindId(kind), label: kind.kind })),
          })),
        ]}
      />
      <nav className={`card ${classes.kinds}`} aria-label={`Kinds in ${name}`}>
        <TextInput
          aria-label="Search kinds"
          placeholder="Search kinds"
          size="xs"
          leftSection={<Icon name="search" size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          mb="sm"
        />
        {found.map(({ title, kinds }) => (
          <section key={title} aria-label={title} className={classes.section}>
            <Text size="xs" fw={600} c="dimmed" px={8} mb={2} aria-hidden="true" className={classes.title}>
              {title}
            </Text>
            {kinds.map((kind) => (
              <Link
                key={kindId(kind)}
                to="/virtual-clusters/$project/$name/inside"
                params={{ project, name }}
                search={searchFor(kindId(kind))}
                className={classes.kind}
                title={kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`}
                data-chosen={kind === chosen}
                aria-current={kind === chosen ? 'true' : undefined}
                preload={false}
              >
                <KindName name={kind.kind} />
              </Link>
            ))}
          </section>
        ))}
        {found.length === 0 ? (
          <Text size="sm" c="dimmed" px={8} role="status">
            {query === '' ? 'There are no kinds that you may list.' : 'No matching kinds.'}
          </Text>
        ) : null}
      </nav>
    </>
  );
}

function matchesSearch({ kind, plural, group, shortNames }: ServedKind, search: string): boolean {
  return search === '' || `${kind} ${plural} ${group} ${shortNames.join(' ')}`.toLowerCase().includes(search);
}
