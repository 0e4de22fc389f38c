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
import { type AllowList, isAllowed, readAllowList } from './allow-list.ts';
import { EditAllowedClusters, EditAllowedTemplates } from './edit-allowed.tsx';
import { projectSpec } from './project-spec.ts';

/** A tab with the clusters and templates that virtual clusters of the project may use. */
export function AllowedTab({ project }: { readonly project: Project }) {
  const { name = '' } = project.metadata;
  const spec = projectSpec(project);
  const [open, setOpen] = useState<'clusters' | 'templates'>();
  const [maySetClusters, maySetTemplates] = usePermissions(
    ['spec.allowedClusters', 'spec.allowedTemplates'].map((subresource) => ({
      verb: 'update',
      kind: kinds.project,
      name,
      subresource,
    })),
  );
  const clusters = useRows({ kind: kinds.cluster, objects: true });
  const templates = useRows({ kind: kinds.template, objects: true });
  const [allowedClusters, allowedTemplates] = [
    readAllowList(spec.allowedClusters),
    readAllowList(spec.allowedTemplates),
  ];
  const change = (what: 'clusters' | 'templates', may: boolean | undefined) =>
    may === true ? (
      <Button variant="default" size="xs" onClick={() => setOpen(what)}>
        Edit {what}
      </Button>
    ) : undefined;
  return (
    <>
      <Panel title="Clusters" actions={change('clusters', maySetClusters?.allowed)}>
        <AllowedList
          what="clusters"
          allowed={allowedClusters}
          rows={clusters}
          head={['Name', 'Status', 'Version']}
          cells={(cluster) => [
            <Link key="name" to="/hosts/$cluster" params={{ cluster: cluster.metadata.name ?? '' }}>
              {displayNameOf(cluster)}
            </Link>,
            <Group key="status" gap="xs">
              <StatusBadge status={cluster.status?.online === true ? 'Online' : 'Offline'} />
              {cluster.spec?.unusable === true ? <Text size="xs">Accepts no new virtual clusters</Text> : null}
            </Group>,
            cluster.status?.kubernetesVersion || '–',
          ]}
        />
      </Panel>
      <Panel title="Templates" actions={change('templates', maySetTemplates?.allowed)}>
        <AllowedList
          what="templates"
          allowed={allowedTemplates}
          rows={templates}
          head={['Name', 'Description']}
          cells={(template) => [
            <Group key="name" gap="xs" wrap="nowrap">
              <Link to="/templates/$template" params={{ template: template.metadata.name ?? '' }}>
                {displayNameOf(template)}
              </Link>
              {template.metadata.name === (allowedTemplates.defaultName ?? defaultTemplate) ? (
                <Badge variant="light" color="gray" tt="none" radius="sm">
                  Default
                </Badge>
              ) : null}
            </Group>,
            template.spec?.description || '–',
          ]}
        />
        <Text size="sm" c="dimmed" mt="sm">
          {spec.requireTemplate?.disabled === false
            ? 'New virtual clusters must specify a template.'
            : 'New virtual clusters that specify no template use the default template.'}
        </Text>
      </Panel>
      {open === 'clusters' ? <EditAllowedClusters project={project} onClose={() => setOpen(undefined)} /> : null}
      {open === 'templates' ? <EditAllowedTemplates project={project} onClose={() => setOpen(undefined)} /> : null}
    </>
  );
}

interface AllowedListProps<Type extends KubeObject> {
  readonly what: string;
  readonly allowed: AllowList;
  /** All objects of the kind that the caller may see. */
  readonly rows: RowsWithRetry<Type>;
  readonly head: readonly string[];
  cells(object: Type): readonly ReactNode[];
}

function AllowedList<Type extends KubeObject>({ what, allowed, rows, head, cells }: AllowedListProps<Type>) {
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
            ? `No ${what} are allowed, so no virtual cluster can be created in this project.`
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
