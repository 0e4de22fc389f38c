import { accountTokenKeys } from '../builtin/account-token-keys.ts';
import { builtInGateway } from '../builtin/built-in-gateway.ts';
import { openPlanes } from '../builtin/open-planes.ts';
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
  /** PEM of the certificate authority that clients inside the cluster get. */
  readonly authority: string | undefined;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly clock: Clock;
  readonly log: Log;
}

/** The history that watches can resume from. */
const retention = { ageMilliseconds: 300_000, changes: 10_000 };
const memoryBudget = 256 * 1024 * 1024;
const mostBytesOfOne = 512 * 1024 * 1024;
const longestTokenSeconds = 30 * 24 * 3600;
const bodyBytes = 3 * 1024 * 1024;

/** A built-in cluster with its own store, which works independently of the control server. */
export async function builtInAgentHost(options: BuiltInAgentHostOptions): Promise<AgentHost> {
  const { sealer, authority, version, healthChecks, clock, log } = options;
  const store = await openEmbeddedStore({ directory: options.storeDir, clock, retention, log });
  try {
    const signingKeys = await openSigningKeys({ path: options.signingKey, clock, longestTTL: longestTokenSeconds });
    let upkeep: Maintenance | undefined;
    const planes = await openPlanes({
      store,
      clock,
      log,
      sealing: sealer,
      tokens: accountTokenKeys({ signingKeys, installation: store.identity }),
      longestTokenSeconds,
      ...(authority === undefined ? {} : { certificateAuthority: authority }),
      memoryBudget,
      maxVirtualClusterBytes: mostBytesOfOne,
      bodyBytes,
      version,
      healthChecks,
      onMaintenance: (left) => upkeep?.wake(left),
    });
    upkeep = startMaintenance({ store, clock, log, plane: (id) => planes.planeSource(id) });
    upkeep.wake();
    return {
      kind: 'built-in',
      virtualClusters: builtInGateway(planes),
      builtIn: planes.builtIn,
      async close() {
        await upkeep?.stop();
        planes.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
