import { Button, Group, Title } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import type { ServedKind } from '../../data/discovery.ts';
import { usePermission } from '../../data/permissions.ts';
import { namespaceColumn } from '../../data/rows/list-columns.ts';
import { CreateFromYaml } from './create-from-yaml.tsx';
import { useExplorer } from './explorer-context.ts';
import { kindId, objectId } from './explorer-ids.ts';
import { pluralKind } from './plural-kind.ts';
import { useExplorerRows } from './use-explorer-rows.ts';

export interface KindObjectListProps {
  readonly kind: ServedKind;
  readonly served: readonly ServedKind[];
}

const namespaceColumns = [namespaceColumn];
const none: typeof namespaceColumns = [];

/** A live list of the objects of one kind, with the columns that the API server defines. */
export function KindObjectList({ kind, served }: KindObjectListProps) {
  const { root, project, name } = useExplorer();
  const { namespace } = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  const [isCreating, setCreating] = useState(false);
  const within = kind.namespaced ? namespace : undefined;
  const rows = useExplorerRows({ kind, ...(within === undefined ? {} : { namespace: within }) });
  const may = usePermission({ verb: 'create', kind, root, ...(within === undefined ? {} : { namespace: within }) });
  const canCreate = may.allowed && kind.verbs.includes('create');
  if (isCreating) {
    return <CreateFromYaml kind={kind} namespace={within} served={served} onDone={() => setCreating(false)} />;
  }
  const create = canCreate ? (
    <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
      New {kind.kind}
    </Button>
  ) : null;
  return (
    <>
      <Group justify="space-between" mb="sm" mih={30}>
        <Title order={2} size="h4">
          {pluralKind(kind)}
        </Title>
        {create}
      </Group>
      <ResourceList
        what={kind.plural}
        one={kind.kind.toLowerCase()}
        rows={rows}
        extraColumns={kind.namespaced && within === undefined ? namespaceColumns : none}
        cells={{
          Name: (row, text) => (
            <Link
              to="/virtual-clusters/$project/$name/inside"
              params={{ project, name }}
              search={{
                kind: kindId(kind),
                name: objectId(row),
                ...(namespace === undefined ? {} : { namespace }),
              }}
              preload={false}
            >
              {text}
            </Link>
          ),
        }}
        empty={{
          title: `No ${kind.plural}`,
          text:
            within === undefined
              ? `${name} does not contain any ${kind.plural} yet.`
              : `Namespace ${within} does not contain any ${kind.plural}.`,
          action: create,
        }}
      />
    </>
  );
}
