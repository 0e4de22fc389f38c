import type { MessagePort } from 'node:worker_threads';
import { createFleet } from '../../controlplane/fleet/fleet.ts';
import type { VersionInfo } from '../../http/documents/version.ts';
import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { ThreadActivity } from '../../process/threads/thread-activity.ts';
import { type SealerKeys, sealerWithKeys } from '../../seal/open-sealer.ts';
import { connectStore } from '../../store/port/connect-store.ts';
import { createPlaneTargets, planesOnThisThread } from '../plane-targets.ts';
import { attributedStore } from './attributed-store.ts';
import type { LogLevel } from './plane-messages.ts';
import { type PlaneFront, servePlanes, type WorkerPlanes } from './serve-planes.ts';

/** The data that the main thread passes to a worker at its start. */
export interface PlaneThreadData {
  readonly planesPort: MessagePort;
  readonly storePort: MessagePort;
  readonly storeIdentity: string;
  /** The memory in which the worker reports what it does. */
  readonly activity: SharedArrayBuffer;
  readonly sealerKeys: SealerKeys;
  readonly longestTokenSeconds: number;
  readonly certificateAuthority: string | undefined;
  readonly memoryBudget: number;
  readonly maxVirtualClusterBytes: number;
  readonly maxVirtualClusterObjects: number;
  readonly bodyBytes: number;
  readonly version: VersionInfo;
  readonly healthChecks: readonly Pick<HealthCheck, 'name' | 'on'>[];
  readonly needsAuditedBodies: boolean;
}

const loadedReportMs = 1_000;

/** Runs the control planes of virtual clusters on this thread, until the main thread closes the ports. */
export function runPlaneThread(data: PlaneThreadData, clock: Clock): void {
  const activity = new ThreadActivity(data.activity);
  const stopHeartbeat = activity.startHeartbeat();
  data.planesPort.on('close', stopHeartbeat);
  const onWork = (planeId: string) => activity.setTask(planeId);
  servePlanes({
    port: data.planesPort,
    clock,
    needsAuditedBodies: data.needsAuditedBodies,
    onWork,
    openPlanes: (front) => openPlanes({ data, clock, front, onWork }),
  });
}

interface PlaneThreadServices {
  readonly data: PlaneThreadData;
  readonly clock: Clock;
  readonly front: PlaneFront;
  onWork(planeId: string): void;
}

function openPlanes({ data, clock, front, onWork }: PlaneThreadServices): WorkerPlanes {
  const log = logOf(front);
  const store = connectStore({ port: data.storePort, identity: data.storeIdentity, ownsSlices: true, log });
  const targets = createPlaneTargets({
    clock,
    log,
    sealing: sealerWithKeys(data.sealerKeys),
    tokens: {
      installation: data.storeIdentity,
      sign: (claims) => front.call('signToken', claims),
      verify: (token) => front.call('verifyToken', token),
    },
    longestTokenSeconds: data.longestTokenSeconds,
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
    builtinObjectsDigest: targets.builtinDigest,
    open: (id, planeStore, creationRow) =>
      targets.open({ id, store: attributedStore(planeStore, () => onWork(id)), creationRow }),
  });
  const planes = planesOnThisThread(fleet, store, targets);
  const reports = setInterval(() => front.send('loaded', planes.loaded), loadedReportMs);
  data.planesPort.on('close', () => clearInterval(reports));
  return {
    ...planes,
    get loaded() {
      return planes.loaded;
    },
    evict: (id) => fleet.evict(id),
  };
}

/** A log that writes to the log of the main thread. Errors are sent as text, because their class would be lost. */
function logOf(front: PlaneFront): Log {
  const writer = (level: LogLevel) => (members: Record<string, unknown>, message: string) =>
    front.send('log', { level, message, members: Object.fromEntries(Object.entries(members).map(plainMember)) });
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

function plainMember([name, value]: [string, unknown]): [string, unknown] {
  if (value instanceof Error) return [name, value.stack ?? value.message];
  return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value];
}
