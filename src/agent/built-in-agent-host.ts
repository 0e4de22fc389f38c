import { serviceAccountTokenKeys } from '../builtin/account-token-keys.ts';
import { builtInGateway } from '../builtin/built-in-gateway.ts';
import { type BuiltInClusterPlanesOptions, openBuiltInClusterPlanes } from '../builtin/open-planes.ts';
import { defaultMaxObjects } from '../controlplane/fleet/size-limit.ts';
import { type Maintenance, startMaintenance } from '../controlplane/maintenance/maintenance.ts';
import type { VersionInfo } from '../http/documents/version.ts';
import type { HealthCheck } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { openSigningKeys } from '../process/signing-keys.ts';
import type { Sealer } from '../seal/sealer.ts';
import { openEmbeddedStore } from '../store/embedded/embedded.ts';
import type { AgentHost } from './agent-host.ts';

export interface BuiltInAgentHostOptions {
  readonly storeDir: string;
  readonly signingKey: string;
  readonly sealer: Sealer;
  /** The certificate authority, as PEM, that clients inside the cluster use to verify the API. */
  readonly authority: string | undefined;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** The worker threads that run virtual clusters. If absent, virtual clusters run on this thread. */
  readonly workers?: BuiltInClusterPlanesOptions['workers'];
  readonly clock: Clock;
  readonly log: Log;
}

/** How much history the store keeps, so that watches can resume. */
const retention = { ageMilliseconds: 300_000, changes: 10_000 };
const memoryBudget = 256 * 1024 * 1024;
const maxVirtualClusterBytes = 512 * 1024 * 1024;
const longestTokenSeconds = 30 * 24 * 3600;
const bodyBytes = 3 * 1024 * 1024;

/** Opens a built-in cluster with its own store. It works even if the control server is unreachable. */
export async function builtInAgentHost(options: BuiltInAgentHostOptions): Promise<AgentHost> {
  const { sealer, authority, version, healthChecks, workers, clock, log } = options;
  const store = await openEmbeddedStore({ directory: options.storeDir, clock, retention, log });
  try {
    const signingKeys = await openSigningKeys({ path: options.signingKey, clock, longestTTL: longestTokenSeconds });
    let maintenance: Maintenance | undefined;
    const planes = await openBuiltInClusterPlanes({
      store,
      clock,
      log,
      sealing: sealer,
      tokens: serviceAccountTokenKeys({ signingKeys, installation: store.identity }),
      longestTokenSeconds,
      ...(authority === undefined ? {} : { certificateAuthority: authority }),
      memoryBudget,
      defaultApi: 'minimal',
      maxVirtualClusterBytes,
      maxVirtualClusterObjects: defaultMaxObjects,
      bodyBytes,
      version,
      healthChecks,
      onMaintenance: (left) => maintenance?.wake(left),
      ...(workers === undefined ? {} : { workers }),
    });
    planes.startWorkersAhead();
    maintenance = startMaintenance({ store, clock, log, runTask: planes.runTask });
    maintenance.wake();
    return {
      kind: 'built-in',
      virtualClusters: builtInGateway(planes),
      builtIn: planes.builtIn,
      async close() {
        await maintenance?.stop();
        await planes.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
