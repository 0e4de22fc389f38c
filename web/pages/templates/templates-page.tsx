import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { displayNameColumn } from '../../data/display-name.ts';
import { kinds } from '../../data/kind-ref.ts';
import type { ListColumn } from '../../data/list-columns.ts';
import { useMay } from '../../data/permissions.ts';
import { useRows } from '../../data/use-rows.ts';
import { CreateTemplate } from './create-template.tsx';
import { templateParts, templateSpec } from './template-parts.ts';

const extraColumns: readonly ListColumn[] = [
  displayNameColumn,
  {
    name: 'Newest Version',
    about: 'Version that a new virtual cluster gets unless another is asked for.',
    isWide: false,
    text: ({ object }) => templateParts(object)[0]?.version ?? '',
  },
  {
    name: 'Parameters',
    about: 'What can be set when a virtual cluster is made from it.',
    isWide: false,
    text: ({ object }) => String(templateParts(object)[0]?.parameters.length ?? 0),
  },
  {
    name: 'Description',
    about: 'What the template is for.',
    isWide: false,
    text: ({ object }) => templateSpec(object).description ?? '',
  },
];
const leaveOut = [displayNameColumn.name];

/** What virtual clusters can be made from. */
export function TemplatesPage() {
  const rows = useRows({ kind: kinds.template, objects: true });
  const { allowed: mayCreate } = useMay({ verb: 'create', kind: kinds.template });
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
        about="What virtual clusters are made from, and what their users can set."
        actions={create}
      />
      <ResourceList
        what="templates"
        rows={rows}
        extraColumns={extraColumns}
        leaveOut={leaveOut}
        cells={{
          Name: (_, text) => (
            <Link to="/templates/$template" params={{ template: text }}>
              {text}
            </Link>
          ),
        }}
        empty={{
          title: 'No templates',
          text: 'A template says what is in a virtual cluster from the beginning, and what its users can set. Without one, virtual clusters come as they are.',
          ...(create === undefined ? {} : { action: create }),
        }}
      />
      {isCreating ? <CreateTemplate onClose={() => setCreating(false)} /> : null}
    </>
  );
}
