import { eventKind } from '../api/core/event.ts';
import { apiVersionOf, timestamp } from '../api/meta.ts';
import { quarantineAnnotation } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { quarantineError, type VirtualCluster, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { ApiClient } from '../client/resource-client.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PlaneIncident } from './workers/plane-workers.ts';

/**
 * A plane that ends its worker this many times within the period is quarantined. The plane that a stalled worker works for is
 * known. If the heap is full, another plane of the worker may have filled it, so more incidents are required.
 */
const maxIncidents = { stalled: 2, failed: 4 } as const;
const periodMs = 10 * 60_000;

/** The quarantine of planes that have repeatedly ended their worker thread. */
export interface Quarantine {
  /** Returns the error for requests to a quarantined plane; `undefined` if the plane may be used. */
  errorOf(planeId: string): StatusError | undefined;
  /** Records that a plane has ended its worker. Writes an Event, and quarantines the plane if this happens repeatedly. */
  record(incident: PlaneIncident): Promise<void>;
  /** The number of incidents since the start of the server, by cause. */
  readonly incidents: Readonly<Record<PlaneIncident['cause'], number>>;
}

export interface QuarantineOptions {
  /** Returns the virtual cluster with this plane; `undefined` if it was deleted. */
  virtualClusterOf(planeId: string): VirtualCluster | undefined;
  /** A client for the built-in cluster. */
  readonly hostClient: ApiClient;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Opens the quarantine. A quarantined virtual cluster has the annotation `quarantineAnnotation`, so it stays quarantined
 * after a restart, until an administrator removes the annotation.
 */
export function openQuarantine(options: QuarantineOptions): Quarantine {
  const { clock, log, hostClient } = options;
  const virtualClusters = hostClient.resource(virtualClusterKind);
  const events = hostClient.resource(eventKind);
  /** The times of recent incidents on the monotonic clock, by plane. */
  const recent = new Map<string, number[]>();
  const incidents = { stalled: 0, failed: 0 };

  /** Returns the number of incidents of the plane within the period, including this one. */
  function count(planeId: string): number {
    const now = clock.elapsed();
    const times = (recent.get(planeId) ?? []).filter((time) => now - time < periodMs);
    times.push(now);
    recent.set(planeId, times);
    return times.length;
  }

  async function writeEvent(object: VirtualCluster, reason: string, message: string): Promise<void> {
    const { namespace = '', name = '', uid = '' } = object.metadata;
    const time = timestamp(clock.now());
    await events.create({
      apiVersion: apiVersionOf(eventKind),
      kind: eventKind.kind,
      metadata: { namespace, name: `${name}.${clock.now().toString(16)}` },
      involvedObject: {
        apiVersion: apiVersionOf(virtualClusterKind),
        kind: virtualClusterKind.kind,
        namespace,
        name,
        uid,
      },
      type: 'Warning',
      reason,
      message,
      source: { component: 'flotilla' },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    });
  }

  return {
    incidents,
    errorOf(planeId) {
      const object = options.virtualClusterOf(planeId);
      return object && quarantineError(object);
    },
    async record({ planeId, cause, message }) {
      incidents[cause] += 1;
      const object = options.virtualClusterOf(planeId);
      const isQuarantined = object !== undefined && count(planeId) >= maxIncidents[cause];
      const { namespace = '', name = '' } = object?.metadata ?? {};
      log.error(
        { plane: planeId, namespace, name, cause, error: message, quarantined: isQuarantined },
        'a worker thread has ended and is replaced; `plane` is the last one that it worked for',
      );
      if (object === undefined) return;
      try {
        if (isQuarantined) {
          recent.delete(planeId);
          const reason = `${message}, ${maxIncidents[cause]} times within ${periodMs / 60_000} minutes`;
          const document = { metadata: { annotations: { [quarantineAnnotation]: reason } } };
          await virtualClusters.patch({ namespace, name }, document);
        }
        await writeEvent(object, isQuarantined ? 'Quarantined' : 'WorkerReplaced', message);
      } catch (error) {
        // The virtual cluster may have been deleted in the meantime.
        if (!(error instanceof StatusError) || error.code !== 404)
          log.error({ plane: planeId, error: String(error) }, 'could not record why a worker thread was replaced');
      }
    },
  };
}
