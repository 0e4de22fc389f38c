import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Command } from '../../components/command.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { displayNameColumn } from '../../data/display-name.ts';
import { columnText, knownCount } from '../../data/fleet-counts.ts';
import { kinds } from '../../data/kind-ref.ts';
import type { ListColumn } from '../../data/list-columns.ts';
import { useMay } from '../../data/permissions.ts';
import type { Row } from '../../data/table-rows.ts';
import { useRows } from '../../data/use-rows.ts';
import { stateOf } from './cluster-facts.ts';
import { ConnectCluster } from './connect-cluster.tsx';

const stateColumn: ListColumn = {
  name: 'State',
  about: 'Whether it can be reached.',
  isWide: false,
  text: ({ object }) => stateOf(object),
};
/** Phase and reachability are one word here. */
const leaveOut = ['Status', 'Online'];
const filters = ['State', 'Reached By'];

/** The clusters that virtual clusters run on. */
export function HostsPage() {
  const rows = useRows({ kind: kinds.cluster, objects: true });
  const instances = useRows({ kind: kinds.instance });
  const { allowed: mayConnect } = useMay({ verb: 'create', kind: kinds.cluster });
  const [isConnecting, setConnecting] = useState(false);
  const extraColumns = useMemo(() => {
    const place = columnText(instances, 'Cluster');
    const carried = new Map<string, number>();
    for (const row of instances.rows) carried.set(place(row), (carried.get(place(row)) ?? 0) + 1);
    const isCounted = knownCount(instances) !== undefined;
    const count = ({ metadata }: Row) => carried.get(metadata.name ?? '') ?? 0;
    return [
      displayNameColumn,
      stateColumn,
      {
        name: 'Virtual Clusters',
        about: 'Virtual clusters on it that you can see.',
        isWide: false,
        text: (row: Row) => (isCounted ? String(count(row)) : ''),
        rank: count,
      },
    ];
  }, [instances]);
  const connect = mayConnect ? (
    <Button onClick={() => setConnecting(true)} leftSection={<Icon name="plus" />}>
      Connect a cluster
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader title="Clusters" about="What virtual clusters run on." actions={connect} />
      <ResourceList
        what="clusters"
        rows={rows}
        extraColumns={extraColumns}
        leaveOut={leaveOut}
        filters={filters}
        cells={{
          Name: (_, text) => (
            <Link to="/hosts/$cluster" params={{ cluster: text }}>
              {text}
            </Link>
          ),
          State: (_, text) => <StatusBadge status={text} />,
        }}
        empty={
          mayConnect
            ? {
                title: 'No cluster is connected',
                text: (
                  <>
                    Virtual clusters need one to run on. The same on the command line:
                    <Command text="flotilla cluster add europe --kubeconfig europe.yaml" />
                  </>
                ),
                action: connect,
              }
            : {
                title: 'You see no clusters',
                text: 'You see those that a project of yours may use. Administrators connect them.',
              }
        }
      />
      {isConnecting ? <ConnectCluster onClose={() => setConnecting(false)} /> : null}
    </>
  );
}
