import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { VirtualClusterTemplate } from '../../../src/api/management/v1/virtual-cluster-template.ts';
import { Icon } from '../../components/icon.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { displayNameColumn } from '../../data/objects/display-name.ts';
import { usePermission } from '../../data/permissions.ts';
import type { ListColumn } from '../../data/rows/list-columns.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { CreateTemplate } from './create-template.tsx';
import { templateSpec, templateVersions } from './template-versions.ts';

const extraColumns: readonly ListColumn<VirtualClusterTemplate>[] = [
  displayNameColumn,
  {
    name: 'Newest Version',
    about: 'The default version for new virtual clusters.',
    isWide: false,
    text: ({ object }) => templateVersions(object)[0]?.version ?? '',
  },
  {
    name: 'Parameters',
    about: 'The number of parameters of a new virtual cluster.',
    isWide: false,
    text: ({ object }) => String(templateVersions(object)[0]?.parameters.length ?? 0),
  },
  {
    name: 'Description',
    about: 'The purpose of the template.',
    isWide: false,
    text: ({ object }) => templateSpec(object).description ?? '',
  },
];
const leaveOut = [displayNameColumn.name];

/** The templates that the caller may see. */
export function TemplatesPage() {
  const rows = useRows({ kind: kinds.template, objects: true });
  const { allowed: mayCreate } = usePermission({ verb: 'create', kind: kinds.template });
  const [isCreating, setCreating] = useState(false);
  const create = mayCreate ? (
    <Button onClick={() => setCreating(true)} leftSection={<Icon name="plus" />}>
      New template
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader title="Templates" about="Definitions and parameters for virtual clusters." actions={create} />
      <ResourceList
        what="templates"
        rows={rows}
        extraColumns={extraColumns}
        hiddenColumns={leaveOut}
        cells={{
          Name: (_, text) => (
            <Link to="/templates/$template" params={{ template: text }}>
              {text}
            </Link>
          ),
        }}
        empty={{
          title: 'No templates',
          text: 'A template defines the initial contents and the parameters of virtual clusters.',
          ...(create === undefined ? {} : { action: create }),
        }}
      />
      {isCreating ? <CreateTemplate onClose={() => setCreating(false)} /> : null}
    </>
  );
}
