import { Link } from '@tanstack/react-router';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import type { InstanceType } from '../../data/instance-types.ts';
import { type KindRef, kinds } from '../../data/kind-ref.ts';
import { projectColumn } from '../../data/rows/list-columns.ts';
import type { RowsQuery } from '../../data/rows/live-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';

export function clusterInstancesQuery(cluster: string, kind: KindRef = kinds.instance): RowsQuery {
  return { kind, fieldSelector: `spec.clusterRef.cluster=${cluster}` };
}

const extraColumns = [projectColumn];
const leaveOut = ['Cluster'];
const filters = ['Status', 'Project'];

interface InstancesTabProps {
  readonly type: InstanceType;
  readonly cluster: string;
}

/** A tab with the instances of a type on a cluster that the caller may see. */
export function InstancesTab({ type, cluster }: InstancesTabProps) {
  const rows = useRows(clusterInstancesQuery(cluster, type.kind));
  return (
    <ResourceList
      what={`${type.noun}s`}
      rows={rows}
      extraColumns={extraColumns}
      hiddenColumns={leaveOut}
      filters={filters}
      cells={{
        Name: (row, text) => (
          <Link to={type.detailPath} params={{ project: projectColumn.text(row), name: text }}>
            {text}
          </Link>
        ),
        Status: (_, text) => <StatusBadge status={text} />,
      }}
      empty={{
        title: `No ${type.noun}s`,
        text: `A ${type.noun} appears here if a user or the server selects this cluster for it. Its project must allow the cluster.`,
      }}
    />
  );
}
