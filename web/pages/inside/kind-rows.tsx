import { Button, Group, Title } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import type { ServedKind } from '../../data/discovery.ts';
import { namespaceColumn } from '../../data/list-columns.ts';
import { useMay } from '../../data/permissions.ts';
import { CreateFromYaml } from './create-from-yaml.tsx';
import { useInside } from './inside-context.ts';
import { kindId, objectId } from './inside-place.ts';
import { useInsideRows } from './use-inside-rows.ts';

export interface KindRowsProps {
  readonly kind: ServedKind;
  readonly served: readonly ServedKind[];
}

const namespaceColumns = [namespaceColumn];
const none: typeof namespaceColumns = [];

/** A live list of the objects of one kind, with the columns of its API server. */
export function KindRows({ kind, served }: KindRowsProps) {
  const { root, project, name } = useInside();
  const { namespace } = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  const [isCreating, setCreating] = useState(false);
  const within = kind.namespaced ? namespace : undefined;
  const rows = useInsideRows({ kind, ...(within === undefined ? {} : { namespace: within }) });
  const may = useMay({ verb: 'create', kind, root, ...(within === undefined ? {} : { namespace: within }) });
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
          {kind.kind}
        </Title>
        {create}
      </Group>
      <ResourceList
        what={kind.plural}
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
          text: within === undefined ? <>There are none in {name} yet.</> : `There are none in namespace ${within}.`,
          action: create,
        }}
      />
    </>
  );
}
