import { Text } from '@mantine/core';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects/objects.ts';
import { loadedCount } from '../../data/rows/fleet-counts.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { clusterInstancesQuery } from './instances-tab.tsx';

export function DeleteCluster({ cluster, onClose }: { readonly cluster: Cluster; readonly onClose: () => void }) {
  const { name = '', uid } = cluster.metadata;
  const count = loadedCount(useRows(clusterInstancesQuery(name)));
  return (
    <Confirm
      title={`Disconnect ${name}?`}
      action={`Disconnect ${name}`}
      confirmationText={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.cluster, { name }, { uid });
        notify.done(
          count === 0 ? `Disconnected ${name}` : `${name} will be disconnected after its virtual clusters are deleted`,
        );
      }}
    >
      <Text size="sm">
        Nothing is removed from the cluster itself.{' '}
        {count === 0
          ? 'No virtual cluster that you can see runs on it.'
          : `${runningOn(count)} on it. The cluster stays connected until all virtual clusters on it are deleted, and accepts no new ones.`}
      </Text>
    </Confirm>
  );
}

function runningOn(count: number | undefined): string {
  if (count === undefined) return 'Virtual clusters may run';
  return count === 1 ? 'One virtual cluster runs' : `${count} virtual clusters run`;
}
