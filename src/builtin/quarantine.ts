import { eventKind } from '../api/core/event.ts';
import { apiVersionOf, timestamp } from '../api/meta.ts';
import { quarantineAnnotation } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { quarantineError, type VirtualCluster, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { ApiClient } from '../client/resource-client.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { WorkMarks } from './work-marks.ts';
import type { PlaneIncident } from './workers/plane-workers.ts';

/**
 * The number of incidents within the quarantine period after which a plane is quarantined, by the cause of the last
 * incident. `stalled`: the worker stalled during work for the plane. `failed`: the worker ended, for example because
 * its heap was full; another plane of the worker may be the cause, so more incidents are required. `interrupted`: the
 * server ended during long work of a worker for the plane.
 */
const maxIncidents = { stalled: 2, failed: 4, interrupted: 2 } as const;
const periodMs = 10 * 60_000;

/** The quarantine of planes that have repeatedly caused their worker thread to end. */
export interface Quarantine {
  /** Returns the error for requests to a quarantined plane; `undefined` if the plane may be used. */
  errorOf(planeId: string): StatusError | undefined;
  /**
   * Records that a plane has caused its worker to end. Writes an Event, and quarantines the plane if the plane has too
   * many incidents.
   */
  record(incident: PlaneIncident): Promise<void>;
  /** The number of incidents since the start of the server, by cause. */
  readonly incidents: Readonly<Record<PlaneIncident['cause'], number>>;
}

export interface QuarantineOptions {
  /** Returns the virtual cluster that runs in this plane; `undefined` if it was deleted. */
  virtualClusterOf(planeId: string): VirtualCluster | undefined;
  /** A client for the built-in cluster. */
  readonly hostClient: ApiClient;
  /** The incidents of planes. They outlast a restart of the server. */
  readonly marks: WorkMarks;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Opens the quarantine. A quarantined virtual cluster has the annotation `quarantineAnnotation`, so it stays
 * quarantined after a restart, until an administrator removes the annotation. If the server ended during long work of a
 * worker for a plane, the plane gets an incident. If the plane had incidents before, it is quarantined before this
 * function resolves.
 */
export async function openQuarantine(options: QuarantineOptions): Promise<Quarantine> {
  const { clock, log, hostClient, marks } = options;
  const virtualClusters = hostClient.resource(virtualClusterKind);
  const events = hostClient.resource(eventKind);
  const incidents = { stalled: 0, failed: 0, interrupted: 0 };

  /** Records an incident of the plane, and returns the number of its incidents within the quarantine period. */
  function count(planeId: string, cause: PlaneIncident['cause']): number {
    // The mark of the interrupted work already contains this incident.
    if (cause === 'interrupted') marks.finish(planeId);
    else marks.addIncident(planeId);
    const now = clock.now();
    return marks.get(planeId)?.incidents.filter((time) => now - time < periodMs).length ?? 0;
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

  async function record({ planeId, cause, message }: PlaneIncident): Promise<void> {
    incidents[cause] += 1;
    const object = options.virtualClusterOf(planeId);
    const isQuarantined = object !== undefined && count(planeId, cause) >= maxIncidents[cause];
    const { namespace = '', name = '' } = object?.metadata ?? {};
    log.error(
      { plane: planeId, namespace, name, cause, error: message, quarantined: isQuarantined },
      logMessages[cause],
    );
    if (object === undefined) {
      marks.remove(planeId);
      return;
    }
    try {
      if (isQuarantined) {
        const reason = `${message}, ${maxIncidents[cause]} times within ${periodMs / 60_000} minutes`;
        const document = { metadata: { annotations: { [quarantineAnnotation]: reason } } };
        await virtualClusters.patch({ namespace, name }, document);
        marks.remove(planeId);
      }
      await writeEvent(object, isQuarantined ? 'Quarantined' : eventReasons[cause], message);
    } catch (error) {
      // Ignore 404: the virtual cluster may have been deleted in the meantime.
      if (!(error instanceof StatusError) || error.code !== 404)
        log.error({ plane: planeId, error: String(error) }, 'could not record an incident of a virtual cluster');
    }
  }

  const message = 'the server ended while a worker did long work for the virtual cluster';
  await Promise.all(marks.interrupted.map((planeId) => record({ planeId, cause: 'interrupted', message })));
  return {
    incidents,
    record,
    errorOf(planeId) {
      const object = options.virtualClusterOf(planeId);
      return object && quarantineError(object);
    },
  };
}

const workerEnded = 'a worker thread has ended and is replaced; `plane` is the last one that it worked for';
const logMessages: Readonly<Record<PlaneIncident['cause'], string>> = {
  stalled: workerEnded,
  failed: workerEnded,
  interrupted: 'the server has ended while a worker thread did long work for `plane`',
};
const eventReasons: Readonly<Record<PlaneIncident['cause'], string>> = {
  stalled: 'WorkerReplaced',
  failed: 'WorkerReplaced',
  interrupted: 'ServerEnded',
};
