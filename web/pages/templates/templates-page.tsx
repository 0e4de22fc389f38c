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
    about: 'The version that new virtual clusters use by default.',
    isWide: false,
    text: ({ object }) => templateVersions(object)[0]?.version || 'Not versioned',
  },
  {
    name: 'Parameters',
    about: 'The number of parameters that a new virtual cluster can set.',
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

/** The page that lists the templates that the caller may see. */
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
      <PageHeader
        title="Templates"
        about="A template defines the initial contents and the parameters of virtual clusters."
        actions={create}
      />
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
          text: 'Users select a template when they create a virtual cluster.',
          ...(create === undefined ? {} : { action: create }),
        }}
      />
      {isCreating ? <CreateTemplate onClose={() => setCreating(false)} /> : null}
    </>
  );
}
