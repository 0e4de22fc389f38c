import { Badge, Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Project } from '../../../src/api/management/v1/project.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { defaultTemplate } from '../../../src/api/naming.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { displayNameOf } from '../../data/objects/display-name.ts';
import { usePermissions } from '../../data/permissions.ts';
import { type RowsWithRetry, useRows } from '../../data/rows/use-rows.ts';
import { spaceTemplateType, type TemplateType, virtualClusterTemplateType } from '../../data/template-types.ts';
import { type AllowList, entriesOf, isAllowed, readAllowList } from './allow-list.ts';
import { EditAllowedClusters, EditAllowedTemplates } from './edit-allowed.tsx';
import { projectSpec } from './project-spec.ts';

type TemplateKindName = 'template' | 'spaceTemplate';

/** A tab with the clusters and templates that instances of the project may use. */
export function AllowedTab({ project }: { readonly project: Project }) {
  const { name = '' } = project.metadata;
  const spec = projectSpec(project);
  const [open, setOpen] = useState<'clusters' | TemplateKindName>();
  const close = () => setOpen(undefined);
  const [maySetClusters, maySetTemplates] = usePermissions(
    ['spec.allowedClusters', 'spec.allowedTemplates'].map((subresource) => ({
      verb: 'update',
      kind: kinds.project,
      name,
      subresource,
    })),
  );
  const clusters = useRows({ kind: kinds.cluster, objects: true });
  const editTemplates = (kind: TemplateKindName) =>
    maySetTemplates?.allowed === true ? { onEdit: () => setOpen(kind) } : {};
  return (
    <>
      <Panel
        title="Clusters"
        actions={
          maySetClusters?.allowed === true ? (
            <EditButton what="clusters" onClick={() => setOpen('clusters')} />
          ) : undefined
        }
      >
        <AllowedList
          what="clusters"
          allowed={readAllowList(spec.allowedClusters)}
          noneText="No clusters are allowed, so nothing can be created in this project."
          rows={clusters}
          head={['Name', 'Status', 'Version']}
          cells={(cluster) => [
            <Link key="name" to="/hosts/$cluster" params={{ cluster: cluster.metadata.name ?? '' }}>
              {displayNameOf(cluster)}
            </Link>,
            <Group key="status" gap="xs">
              <StatusBadge status={cluster.status?.online === true ? 'Online' : 'Offline'} />
              {cluster.spec?.unusable === true ? <Text size="xs">Accepts no new instances</Text> : null}
            </Group>,
            cluster.status?.kubernetesVersion || '–',
          ]}
        />
      </Panel>
      <AllowedTemplates type={virtualClusterTemplateType} project={project} {...editTemplates('template')} />
      <AllowedTemplates type={spaceTemplateType} project={project} {...editTemplates('spaceTemplate')} />
      {open === 'clusters' ? <EditAllowedClusters project={project} onClose={close} /> : null}
      {open === 'template' ? (
        <EditAllowedTemplates type={virtualClusterTemplateType} project={project} onClose={close} />
      ) : null}
      {open === 'spaceTemplate' ? (
        <EditAllowedTemplates type={spaceTemplateType} project={project} onClose={close} />
      ) : null}
    </>
  );
}

function EditButton({ what, onClick }: { readonly what: string; onClick(): void }) {
  return (
    <Button variant="default" size="xs" onClick={onClick}>
      Edit {what}
    </Button>
  );
}

interface AllowedTemplatesProps {
  readonly type: TemplateType;
  readonly project: Project;
  /** Edits the list. Absent if the caller may not edit it. */
  onEdit?(): void;
}

/** The templates of a kind that instances of the project may use. */
function AllowedTemplates({ type, project, onEdit }: AllowedTemplatesProps) {
  const spec = projectSpec(project);
  const rows = useRows({ kind: type.kind, objects: true });
  const allowed = readAllowList(entriesOf(type.kind.kind, spec.allowedTemplates));
  const what = type.isOptional ? 'space templates' : 'templates';
  const defaultName = allowed.defaultName ?? (type.isOptional ? undefined : defaultTemplate);
  return (
    <Panel
      title={type.isOptional ? 'Space templates' : 'Templates'}
      actions={onEdit === undefined ? undefined : <EditButton what={what} onClick={onEdit} />}
    >
      <AllowedList
        what={what}
        allowed={allowed}
        noneText={`No ${what} are allowed.`}
        rows={rows}
        head={['Name', 'Description']}
        cells={(template) => [
          <Group key="name" gap="xs" wrap="nowrap">
            <Link to={type.detailPath} params={{ template: template.metadata.name ?? '' }}>
              {displayNameOf(template)}
            </Link>
            {template.metadata.name === defaultName ? (
              <Badge variant="light" color="gray" tt="none" radius="sm">
                Default
              </Badge>
            ) : null}
          </Group>,
          template.spec?.description || '–',
        ]}
      />
      <Text size="sm" c="dimmed" mt="sm">
        {omissionText(type, spec.requireTemplate?.disabled === false, defaultName)}
      </Text>
    </Panel>
  );
}

function omissionText({ noun }: TemplateType, isRequired: boolean, defaultName: string | undefined): string {
  if (isRequired) return `New ${noun}s must specify a template.`;
  return defaultName === undefined
    ? `New ${noun}s that specify no template are empty.`
    : `New ${noun}s that specify no template use the default template.`;
}

interface AllowedListProps<Type extends KubeObject> {
  readonly what: string;
  readonly allowed: AllowList;
  /** The text that is shown if the list allows nothing. */
  readonly noneText: string;
  /** All objects of the kind that the caller may see. */
  readonly rows: RowsWithRetry<Type>;
  readonly head: readonly string[];
  cells(object: Type): readonly ReactNode[];
}

function AllowedList<Type extends KubeObject>({ what, allowed, noneText, rows, head, cells }: AllowedListProps<Type>) {
  if (rows.state === 'refused') return <ErrorNotice error={rows.error} onRetry={rows.retry} />;
  if (rows.state === 'loading') return <LoadingIndicator message={`Loading ${what}`} />;
  const found = rows.rows.map(({ object }) => object).filter(({ metadata }) => isAllowed(allowed, metadata.name ?? ''));
  const missing = allowed.names.filter((name) => !found.some(({ metadata }) => metadata.name === name));
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {allowed.all
          ? `All ${what} are allowed, including future ones.`
          : allowed.names.length === 0
            ? noneText
            : `Only these ${what} are allowed.`}
      </Text>
      {found.length === 0 ? null : (
        <SimpleTable
          label={`Allowed ${what}`}
          head={head}
          rows={found.map((object) => ({ key: object.metadata.name ?? '', cells: cells(object) }))}
        />
      )}
      {missing.length === 0 ? null : (
        <Text size="sm" c="dimmed" mt="sm">
          Allowed, but not found: {missing.join(', ')}.
        </Text>
      )}
    </>
  );
}
