import { clusterKind } from '../../api/management/v1/cluster.ts';
import { builtInClusterName } from '../../api/naming.ts';
import type { LabelledGauge } from '../../http/metrics/server-gauges.ts';
import { type InstanceKind, instanceKinds } from '../../management/state.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';

/** The phases of instances that metrics show. Instances in other phases, or without a phase, count as `Pending`. */
const phases = ['Pending', 'Ready', 'Sleeping', 'Failed'] as const;

/** The maximum number of clusters that get a series. Administrators create clusters, and rarely more than a few. */
const maxClusters = 500;

/** Gauges about instances and connected clusters, which every server of an installation reports with the same values. */
export function fleetGauges(kinds: KindStores): LabelledGauge[] {
  const clusters = storeOf(kinds, clusterKind);
  return [
    ...instanceKinds.map((kind) => phaseGauge(kinds, kind)),
    {
      name: 'flotilla_cluster_online',
      help: '1 if the connected cluster responded to the last probe; otherwise 0.',
      label: 'cluster',
      *values() {
        for (const { object } of clusters.peekAll().slice(0, maxClusters)) {
          const { name = '' } = object.metadata;
          if (name !== builtInClusterName) yield [name, object.status?.online === true ? 1 : 0] as const;
        }
      },
    },
  ];
}

/** Counts instances incrementally, because reading thousands of instances at each scrape would take too long. */
function phaseGauge(kinds: KindStores, kind: InstanceKind): LabelledGauge {
  const store = storeOf(kinds, kind);
  const phaseByUid = new Map<string, string>();
  const put = ({ metadata, status }: { metadata: { uid?: string }; status?: { phase?: string } }) =>
    phaseByUid.set(metadata.uid ?? '', status?.phase ?? '');
  store.listen(({ before, after }) => {
    if (after !== undefined) put(after.object);
    else phaseByUid.delete(before?.object.metadata.uid ?? '');
  });
  for (const { object } of store.peekAll()) put(object);
  return {
    name: `flotilla_${kind.plural}`,
    help: `Number of ${kind.plural}, by phase.`,
    label: 'phase',
    values() {
      const counts = new Map<string, number>(phases.map((phase) => [phase, 0]));
      for (const phase of phaseByUid.values()) {
        const counted = counts.has(phase) ? phase : phases[0];
        counts.set(counted, (counts.get(counted) ?? 0) + 1);
      }
      return counts;
    },
  };
}
