import { Link } from '@tanstack/react-router';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { projectColumn } from '../../data/rows/list-columns.ts';
import type { RowsQuery } from '../../data/rows/live-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';

export function clusterInstancesQuery(cluster: string): RowsQuery {
  return { kind: kinds.instance, fieldSelector: `spec.clusterRef.cluster=${cluster}` };
}

const extraColumns = [projectColumn];
const leaveOut = ['Cluster'];
const filters = ['Status', 'Project'];

/** A tab with the virtual clusters on a cluster that the caller may see. */
export function InstancesTab({ cluster }: { readonly cluster: string }) {
  const rows = useRows(clusterInstancesQuery(cluster));
  return (
    <ResourceList
      what="virtual clusters"
      rows={rows}
      extraColumns={extraColumns}
      hiddenColumns={leaveOut}
      filters={filters}
      cells={{
        Name: (row, text) => (
          <Link to="/virtual-clusters/$project/$name" params={{ project: projectColumn.text(row), name: text }}>
            {text}
          </Link>
        ),
        Status: (_, text) => <StatusBadge status={text} />,
      }}
      empty={{
        title: 'No virtual clusters',
        text: 'A virtual cluster runs here if its project allows this cluster, and if a user or the server selects this cluster for it.',
      }}
    />
  );
}
