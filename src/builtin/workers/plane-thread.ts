import type { MessagePort } from 'node:worker_threads';
import { createFleet, type Fleet } from '../../controlplane/fleet/fleet.ts';
import type { VersionInfo } from '../../http/documents/version.ts';
import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { ThreadActivity } from '../../process/threads/thread-activity.ts';
import { gcKey } from '../../registry/rows/rows.ts';
import { type SealerKeys, sealerWithKeys } from '../../seal/open-sealer.ts';
import { connectStore } from '../../store/port/connect-store.ts';
import type { StoreProperties } from '../../store/store.ts';
import { createPlaneTargets, planesOnThisThread } from '../plane-targets.ts';
import type { PlaneUsage } from '../plane-usage.ts';
import { attributedStore } from './attributed-store.ts';
import type { LogLevel } from './plane-messages.ts';
import { type PlaneFront, servePlanes, type WorkerPlanes } from './serve-planes.ts';
import { WorkTime } from './work-time.ts';

/** The data that the main thread passes to a worker at its start. */
export interface PlaneThreadData {
  readonly planesPort: MessagePort;
  readonly storePort: MessagePort;
  readonly storeProperties: StoreProperties;
  /** The shared memory to which the worker writes its activity, for the main thread. */
  readonly activity: SharedArrayBuffer;
  readonly sealerKeys: SealerKeys;
  readonly longestTokenSeconds: number;
  readonly webhookAddresses: readonly string[];
  readonly certificateAuthority: string | undefined;
  readonly memoryBudget: number;
  readonly maxVirtualClusterBytes: number;
  readonly maxVirtualClusterObjects: number;
  readonly bodyBytes: number;
  readonly version: VersionInfo;
  readonly healthChecks: readonly Pick<HealthCheck, 'name' | 'on'>[];
}

const loadedReportMs = 1_000;

/** Runs the control planes of virtual clusters on this thread, until the main thread closes the ports. */
export function runPlaneThread(data: PlaneThreadData, clock: Clock): void {
  const activity = new ThreadActivity(data.activity);
  const stopHeartbeat = activity.startHeartbeat();
  data.planesPort.on('close', stopHeartbeat);
  const workTime = new WorkTime();
  const onWork = (planeId: string) => {
    activity.setTask(planeId);
    workTime.switchTo(planeId);
  };
  servePlanes({
    port: data.planesPort,
    clock,
    onWork,
    openPlanes: (front) => openPlanes({ data, clock, front, onWork, workTime }),
  });
}

interface PlaneThreadServices {
  readonly data: PlaneThreadData;
  readonly clock: Clock;
  readonly front: PlaneFront;
  readonly workTime: WorkTime;
  onWork(planeId: string): void;
}

function openPlanes({ data, clock, front, onWork, workTime }: PlaneThreadServices): WorkerPlanes {
  const log = logOf(front);
  const { storePort: port, storeProperties: properties } = data;
  // Only this worker writes to the slices of its planes, unless other processes use the store.
  const store = connectStore({ port, properties, ownsSlices: !properties.isShared, log });
  const targets = createPlaneTargets({
    clock,
    log,
    sealing: sealerWithKeys(data.sealerKeys),
    tokens: {
      installation: data.storeProperties.identity,
      sign: (claims) => front.call('signToken', claims),
      verify: (token) => front.call('verifyToken', token),
      publicKeys: () => front.call('publicTokenKeys', undefined),
    },
    longestTokenSeconds: data.longestTokenSeconds,
    webhookAddresses: data.webhookAddresses,
    ...(data.certificateAuthority === undefined ? {} : { certificateAuthority: data.certificateAuthority }),
    version: data.version,
    healthChecks: data.healthChecks.map(({ name, on }) => ({
      name,
      on,
      check: () => front.call('checkHealth', name),
    })),
    bodyBytes: data.bodyBytes,
    maxVirtualClusterBytes: data.maxVirtualClusterBytes,
    maxVirtualClusterObjects: data.maxVirtualClusterObjects,
    onMaintenance: (work) => front.send('onMaintenance', work),
  });
  const fleet = createFleet({
    store,
    clock,
    log,
    memoryBudget: data.memoryBudget,
    builtinObjectsDigest: (api) => targets.builtinDigest(api),
    open: (id, planeStore, creationRow) =>
      targets.open({ id, store: attributedStore(planeStore, () => onWork(id)), creationRow }),
  });
  const planes = planesOnThisThread(fleet, store, targets);
  const reports = setInterval(() => front.send('loaded', planes.loaded), loadedReportMs);
  data.planesPort.on('close', () => clearInterval(reports));
  return {
    ...planes,
    async runTask(planeId, task, fence) {
      // The task may arrive before the changes that triggered it, because task and changes use different ports. This
      // read waits for the changes: its response arrives after them, and its value is ignored. Afterwards, the caches
      // of the plane contain the changes. If the store is shared, the task itself waits for the current revision.
      if (!store.isShared) await store.get(gcKey(planeId, ''));
      return await planes.runTask(planeId, task, fence);
    },
    get loaded() {
      return planes.loaded;
    },
    takeUsage: async () => usageOf(workTime.take(), fleet),
    evict: (id) => fleet.evict(id),
    preferShards: (shards) => fleet.preferShards(shards),
  };
}

/**
 * Returns the usage of the planes for which this worker has worked. Other planes are omitted, because their sizes are
 * unchanged.
 */
function usageOf(times: ReadonlyMap<string, number>, fleet: Pick<Fleet, 'sizes'>): readonly PlaneUsage[] {
  if (times.size === 0) return [];
  const sizes = new Map(fleet.sizes().map(({ id, ...size }) => [id, size]));
  return [...times].map(([planeId, workMs]) => {
    const size = sizes.get(planeId);
    return { planeId, workMs, ...(size === undefined ? {} : { size }) };
  });
}

/**
 * Returns a log that writes to the log of the main thread. Errors are sent as text, because their class would be lost
 * between threads.
 */
function logOf(front: PlaneFront): Log {
  const writer = (level: LogLevel) => (members: Record<string, unknown>, message: string) =>
    front.send('log', { level, message, members: Object.fromEntries(Object.entries(members).map(plainMember)) });
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

function plainMember([name, value]: [string, unknown]): [string, unknown] {
  if (value instanceof Error) return [name, value.stack ?? value.message];
  return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value];
}
