import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { useCreateDialog } from '../../components/list/use-create-dialog.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { displayNameColumn } from '../../data/objects/display-name.ts';
import { usePermission } from '../../data/permissions.ts';
import type { ListColumn } from '../../data/rows/list-columns.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import {
  spaceTemplateType,
  type Template,
  type TemplateType,
  virtualClusterTemplateType,
} from '../../data/template-types.ts';
import { CreateTemplate } from './create-template.tsx';
import { templateSpec, templateVersions } from './template-versions.ts';

const extraColumns: readonly ListColumn<Template>[] = [
  displayNameColumn,
  {
    name: 'Newest Version',
    about: 'The version that new instances use by default.',
    isWide: false,
    text: ({ object }) => templateVersions(object)[0]?.version || 'Not versioned',
  },
  {
    name: 'Parameters',
    about: 'The number of parameters that a new instance can set.',
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

/** The page that lists the templates for virtual clusters that the caller may see. */
export function TemplatesPage() {
  return <TemplatesList type={virtualClusterTemplateType} title="Templates" what="templates" />;
}

/** The page that lists the templates for spaces that the caller may see. */
export function SpaceTemplatesPage() {
  return <TemplatesList type={spaceTemplateType} title="Space templates" what="space templates" />;
}

interface TemplatesListProps {
  readonly type: TemplateType;
  readonly title: string;
  readonly what: string;
}

function TemplatesList({ type, title, what }: TemplatesListProps) {
  const rows = useRows({ kind: type.kind, objects: true });
  const { allowed: mayCreate } = usePermission({ verb: 'create', kind: type.kind });
  const creation = useCreateDialog();
  const create = mayCreate ? (
    <Button onClick={creation.open} leftSection={<Icon name="plus" />}>
      New template
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader
        title={title}
        about={`A template defines the initial contents and the parameters of ${type.noun}s.`}
        actions={create}
      />
      <ResourceList
        what={what}
        rows={rows}
        extraColumns={extraColumns}
        hiddenColumns={leaveOut}
        cells={{
          Name: (_, text) => (
            <Link to={type.detailPath} params={{ template: text }}>
              {text}
            </Link>
          ),
        }}
        empty={{
          title: `No ${what}`,
          text: `Users select a template when they create a ${type.noun}.`,
          ...(create === undefined ? {} : { action: create }),
        }}
      />
      {creation.isOpen && mayCreate ? <CreateTemplate type={type} onClose={creation.close} /> : null}
    </>
  );
}
