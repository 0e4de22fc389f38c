import { Text } from '@mantine/core';
import type { KubeObject } from '../../../src/api/meta.ts';
import { Confirm } from '../../components/confirm.tsx';
import { notify } from '../../components/notices.tsx';
import { knownCount } from '../../data/fleet-counts.ts';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects.ts';
import { useRows } from '../../data/use-rows.ts';
import { instancesOn } from './instances-tab.tsx';

export function DeleteCluster({ cluster, onClose }: { readonly cluster: KubeObject; readonly onClose: () => void }) {
  const { name = '', uid } = cluster.metadata;
  const count = knownCount(useRows(instancesOn(name)));
  return (
    <Confirm
      title={`Disconnect ${name}?`}
      action={`Disconnect ${name}`}
      typed={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.cluster, { name }, { uid });
        notify.done(count === 0 ? `${name} is disconnected` : `${name} goes when it is empty`);
      }}
    >
      <Text size="sm">
        Nothing on the cluster itself is removed.{' '}
        {count === 0
          ? 'No virtual cluster that you can see runs on it.'
          : `${runningOn(count)} on it: it stays until they are deleted, and takes no new ones.`}
      </Text>
    </Confirm>
  );
}

function runningOn(count: number | undefined): string {
  if (count === undefined) return 'Virtual clusters may run';
  return count === 1 ? 'One virtual cluster runs' : `${count} virtual clusters run`;
}
