import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type ObjectMeta, type TypedObject } from '../api/meta.ts';
import { type ResourceKind, typedObject } from '../api/resource.ts';
import type { ApiClient } from '../client/resource-client.ts';
import { defaultMaxObjects } from '../controlplane/fleet/size-limit.ts';
import { type Maintenance, startMaintenance } from '../controlplane/maintenance/maintenance.ts';
import { versionInfo } from '../http/documents/version.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { openSealer } from '../seal/open-sealer.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store.fixture.ts';
import { inProcessClient } from './in-process-client.ts';
import {
  type BuiltInClusterPlanes,
  type BuiltInClusterPlanesOptions,
  openBuiltInClusterPlanes,
} from './open-planes.ts';

/** A test environment with the built-in cluster and its maintenance, but without an HTTP server. */
export interface PlanesTestEnv {
  readonly planes: BuiltInClusterPlanes;
  readonly maintenance: Maintenance;
  readonly clock: ManualClock;
  readonly store: Store;
  /** An API client for the built-in cluster. */
  readonly hostClient: ApiClient;
  /** Runs all due maintenance work. Then advances the clock by one second, so that deferred work becomes due. */
  runMaintenance(): Promise<void>;
  /** Stops the maintenance and closes the planes. The store stays open. */
  close(): Promise<void>;
}

export interface PlanesTestEnvOptions extends Partial<Omit<BuiltInClusterPlanesOptions, 'clock'>> {
  readonly clock?: ManualClock;
}

export async function openPlanesTestEnv(change: PlanesTestEnvOptions = {}): Promise<PlanesTestEnv> {
  const clock = change.clock ?? new ManualClock();
  const log = silentLog;
  const store = change.store ?? openTestStore({ clock });
  let maintenance: Maintenance | undefined;
  const planes = await openBuiltInClusterPlanes({
    defaultApi: 'full',
    store,
    clock,
    log,
    sealing: openSealer(randomBytes(32)),
    tokens: {
      installation: 'test',
      sign: () => Promise.reject(new Error('no tokens')),
      verify: async () => undefined,
      publicKeys: async () => ({ keys: [] }),
    },
    longestTokenSeconds: 3600,
    webhookAddresses: [],
    memoryBudget: 16 * 1024 * 1024,
    maxVirtualClusterBytes: 512 * 1024 * 1024,
    maxVirtualClusterObjects: defaultMaxObjects,
    bodyBytes: 1024 * 1024,
    version: versionInfo({ packageVersion: '0' }),
    healthChecks: [],
    onMaintenance: (work) => maintenance?.wake(work),
    ...change,
  });
  const started = startMaintenance({ store, clock, log, runTask: planes.runTask });
  maintenance = started;
  started.wake();
  return {
    planes,
    maintenance: started,
    clock,
    store,
    hostClient: inProcessClient(planes.local.kinds, 'test'),
    async runMaintenance() {
      await started.idle();
      clock.advance(1_000);
    },
    async close() {
      await started.stop();
      await planes.close();
    },
  };
}

export function newTestObject<Fields extends JsonObject>(
  kind: ResourceKind<Fields>,
  metadata: ObjectMeta,
): TypedObject<Fields> {
  return typedObject(kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata });
}
