import { SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { LoadingIndicator } from '../../../components/loading-indicator.tsx';
import { KindName } from '../../../components/object/kind-name.tsx';
import { Panel } from '../../../components/panel.tsx';
import { virtualClusterRoot } from '../../../data/api-root.ts';
import { usageQuery } from '../../../data/usage.ts';
import { kindId } from '../../inside/explorer-ids.ts';
import type { InstanceState } from './instance-state.ts';
import classes from './usage-panel.module.css';
import type { InstanceSectionProps } from './use-instance-permissions.ts';

/**
 * A panel with the number of objects in a virtual cluster. Counting the objects does not restart the idle period of the
 * virtual cluster.
 */
export function UsagePanel({ instance, permissions }: InstanceSectionProps) {
  if (!permissions.canUse) return null;
  return (
    <Panel title="Resources">
      {instance.isUsable ? (
        <AwakeUsage instance={instance} />
      ) : (
        <Text size="sm" c="dimmed">
          {instance.phase === 'Sleeping'
            ? 'Resources are not counted while the virtual cluster is asleep.'
            : 'Resources are shown after the virtual cluster is ready.'}
        </Text>
      )}
    </Panel>
  );
}

function AwakeUsage({ instance: { project, name } }: { readonly instance: InstanceState }) {
  const { data, error, refetch, isPending } = useQuery(usageQuery(virtualClusterRoot(project, name)));
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (isPending) return <LoadingIndicator message="Counting resources" />;
  if (data.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There are no resources that you may list.
      </Text>
    );
  }
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, md: 2 }} spacing="sm" verticalSpacing="sm">
      {data.map(({ kind, title, count }) => (
        <Link
          key={kindId(kind)}
          className={classes.count}
          to="/virtual-clusters/$project/$name/inside"
          params={{ project, name }}
          search={{ kind: kindId(kind) }}
        >
          <span className={classes.number}>{count}</span>
          <span className={classes.title}>
            <KindName name={title} />
          </span>
        </Link>
      ))}
    </SimpleGrid>
  );
}
