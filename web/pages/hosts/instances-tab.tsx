import { InstanceList } from '../../components/object/instance-list.tsx';
import type { InstanceType } from '../../data/instance-types.ts';
import { type KindRef, kinds } from '../../data/kind-ref.ts';
import type { RowsQuery } from '../../data/rows/live-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';

export function clusterInstancesQuery(cluster: string, kind: KindRef = kinds.instance): RowsQuery {
  return { kind, fieldSelector: `spec.clusterRef.cluster=${cluster}` };
}

interface InstancesTabProps {
  readonly type: InstanceType;
  readonly cluster: string;
}

/** A tab with the instances of a type on a cluster that the caller may see. */
export function InstancesTab({ type, cluster }: InstancesTabProps) {
  return (
    <InstanceList
      type={type}
      rows={useRows(clusterInstancesQuery(cluster, type.kind))}
      common="Cluster"
      empty={{
        title: `No ${type.noun}s`,
        text: `A ${type.noun} appears here if a user or the server selects this cluster for it. Its project must allow the cluster.`,
      }}
    />
  );
}
