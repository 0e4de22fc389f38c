import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { pluralize } from '../../data/format-text.ts';
import { displayNameOf } from '../../data/objects/display-name.ts';
import { columnText } from '../../data/rows/fleet-counts.ts';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';
import classes from './lines.module.css';

const maxShown = 6;

/**
 * A panel with the clusters that host virtual clusters. Shows the status of each cluster and the number of its virtual
 * clusters.
 */
export function HostsPanel({
  clusters,
  instances,
  seesAll,
}: {
  readonly clusters: RowsSnapshot<Cluster>;
  readonly instances: RowsSnapshot;
  /**
   * True if the caller may see all virtual clusters. Otherwise, no number is shown for a cluster on which the caller
   * sees none.
   */
  readonly seesAll: boolean;
}) {
  if (clusters.state === 'refused') return null;
  const clusterOf = columnText(instances, 'Cluster');
  const counts = new Map<string, number>();
  for (const row of instances.rows) counts.set(clusterOf(row), (counts.get(clusterOf(row)) ?? 0) + 1);
  const online = clusters.rows.filter(({ object }) => object.status?.online === true).length;
  return (
    <Panel
      title="Clusters"
      actions={
        <Text size="sm" c="dimmed">
          {online} of {clusters.rows.length} online
        </Text>
      }
    >
      {clusters.rows.slice(0, maxShown).map(({ key, object, metadata: { name = '' } }) => (
        <Group key={key} className={classes.line ?? ''} justify="space-between" wrap="nowrap">
          <Link to="/hosts/$cluster" params={{ cluster: name }}>
            {displayNameOf(object)}
          </Link>
          <Group gap="md" wrap="nowrap">
            <Text size="sm" c="dimmed">
              {counts.has(name) || (seesAll && instances.state === 'live')
                ? pluralize(counts.get(name) ?? 0, 'virtual cluster')
                : ''}
            </Text>
            <StatusBadge status={object.status?.online === true ? 'Online' : 'Offline'} />
          </Group>
        </Group>
      ))}
      {clusters.rows.length > maxShown ? <Link to="/hosts">All {clusters.rows.length} clusters</Link> : null}
    </Panel>
  );
}
