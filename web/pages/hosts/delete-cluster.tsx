import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { instancesText } from '../../data/format-text.ts';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects/objects.ts';
import { loadedCount } from '../../data/rows/fleet-counts.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { clusterInstancesQuery } from './instances-tab.tsx';

export function DeleteCluster({ cluster, onClose }: { readonly cluster: Cluster; readonly onClose: () => void }) {
  const { name = '', uid } = cluster.metadata;
  const navigate = useNavigate();
  const clusters = loadedCount(useRows(clusterInstancesQuery(name)));
  const spaces = loadedCount(useRows(clusterInstancesQuery(name, kinds.space)));
  const isEmpty = clusters === 0 && spaces === 0;
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
          isEmpty ? `Disconnected ${name}` : `${name} will be disconnected after everything on it is deleted`,
        );
        await navigate({ to: '/hosts' });
      }}
    >
      <Text size="sm">
        Nothing is removed from the cluster itself.{' '}
        {isEmpty
          ? 'It has no virtual clusters and spaces that you can see.'
          : `It has ${instancesText(clusters, spaces)}. The cluster stays connected until they are deleted, and accepts no new ones.`}
      </Text>
    </Confirm>
  );
}
