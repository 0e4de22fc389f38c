import { Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Project, quotaResources } from '../../../src/api/management/v1/project.ts';
import { QuotaBar } from '../../components/object/quota-bar.tsx';
import { Panel } from '../../components/panel.tsx';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';

const maxShown = 6;

/** The display names of the resources that quotas count. */
const resourceNames: Readonly<Record<string, string>> = {
  virtualclusterinstances: 'virtual clusters',
  spaceinstances: 'spaces',
} satisfies Readonly<Record<(typeof quotaResources)[number], string>>;

/** A panel with the quota usage of all projects, the highest usage first. */
export function QuotasPanel({ projects }: { readonly projects: RowsSnapshot<Project> }) {
  const quotas = projects.rows
    .flatMap(({ object, metadata: { name = '' } }) => {
      const { limit: limits = {}, used = {} } = object.status?.quotas?.project ?? {};
      return Object.entries(limits).map(([resource, limit]) => ({
        name,
        resource,
        limit: Number(limit),
        used: Number(used[resource] ?? '0'),
      }));
    })
    .sort((a, b) => b.used / b.limit - a.used / a.limit);
  if (quotas.length === 0) return null;
  return (
    <Panel title="Quotas" actions={<Link to="/projects">All projects</Link>}>
      <Stack gap="sm">
        {quotas.slice(0, maxShown).map(({ name, resource, limit, used }) => (
          <QuotaBar
            key={`${name} ${resource}`}
            label={name}
            used={used}
            limit={limit}
            what={resourceNames[resource] ?? resource}
          />
        ))}
      </Stack>
    </Panel>
  );
}
