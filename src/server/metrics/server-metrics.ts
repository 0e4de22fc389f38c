import type { Quarantine } from '../../builtin/quarantine.ts';
import type { ControlPlane } from '../../controlplane/control-plane.ts';
import { createMetrics, type Metrics, type MetricsOptions } from '../../http/metrics/create-metrics.ts';
import type { LabelledGauge, ObjectCount, SimpleGauge } from '../../http/metrics/server-gauges.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import { allTerms, leaderTerm } from '../../replicas/shards.ts';
import { diskGauges } from '../data/disk-gauges.ts';
import type { NotificationMails } from '../mail/notification-mails.ts';
import type { ControlPlanes } from '../open-control-planes.ts';
import type { ServerContext } from '../server-context.ts';

/** The metrics of parts that open after the control planes. */
interface OtherMetrics {
  /** The sender of mails; absent if the server sends no mails. */
  readonly mails: NotificationMails | undefined;
  readonly labelledGauges: readonly LabelledGauge[];
}

/** Creates the metrics of the server. */
export function serverMetrics(
  server: ServerContext,
  { management, planes }: Pick<ControlPlanes, 'management' | 'planes'>,
  others: OtherMetrics,
): Metrics {
  return createMetrics({
    version: server.version,
    storedObjects: () => countObjects([management.plane, planes.local]),
    loadedPlanes: () => planes.loaded,
    ...serverGauges(server, planes.quarantine, others),
  });
}

function serverGauges(
  { replicas, audit, dir, settings, backups, tracing }: ServerContext,
  quarantine: Quarantine,
  { mails, labelledGauges }: OtherMetrics,
): Pick<MetricsOptions, 'gauges' | 'labelledGauges'> {
  return {
    gauges: [
      ...workerGauges(quarantine),
      ...replicaGauges(replicas),
      ...diskGauges(dir.path, settings.store),
      ...(backups?.gauges() ?? []),
      ...(mails?.gauges() ?? []),
      ...tracing.gauges,
    ],
    labelledGauges: [...audit.forwarders.gauges(), ...labelledGauges, ...tracing.labelledGauges],
  };
}

/** The worker threads that were replaced since the start of the server. */
function workerGauges({ incidents }: Quarantine): SimpleGauge[] {
  return [
    {
      name: 'flotilla_worker_stalls_total',
      help: 'Number of worker threads that were replaced because they did not respond.',
      value: () => incidents.stalled,
    },
    {
      name: 'flotilla_worker_failures_total',
      help: 'Number of worker threads that ended with an error, for example because their heap was full.',
      value: () => incidents.failed,
    },
  ];
}

/**
 * The share of the background work that this server does. A server that does not share its store does all background
 * work.
 */
function replicaGauges(replicas: Replicas): SimpleGauge[] {
  return [
    {
      name: 'flotilla_replica_leader',
      help: '1 if this server is the leader, which does the background work that is not divided into shards; otherwise 0.',
      value: () => (replicas.owns(leaderTerm) ? 1 : 0),
    },
    {
      name: 'flotilla_shards_held',
      help: 'Number of shards of background work that this server does, of 64.',
      value: () => allTerms.filter((term) => term !== leaderTerm && replicas.owns(term)).length,
    },
  ];
}

/**
 * Counts the objects of loaded control planes. Virtual clusters that are unloaded to disk are not loaded just to count
 * their objects.
 */
function* countObjects(planes: readonly ControlPlane[]): Iterable<ObjectCount> {
  for (const { resource, count } of planes.flatMap((plane) => [...plane.kinds.values()])) {
    yield { group: resource.group, resource: resource.plural, count: count() };
  }
}
