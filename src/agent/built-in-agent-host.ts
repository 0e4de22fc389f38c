import { serviceAccountTokenKeys } from '../builtin/account-token-keys.ts';
import { builtInGateway } from '../builtin/built-in-gateway.ts';
import { builtInSpaces } from '../builtin/built-in-spaces.ts';
import { openBuiltInClusterPlanes, type PlaneWorkersSettings } from '../builtin/open-planes.ts';
import { defaultMaxObjects } from '../controlplane/fleet/size-limit.ts';
import { type Maintenance, startMaintenance } from '../controlplane/maintenance/maintenance.ts';
import { publicAddresses } from '../controlplane/webhooks/webhook-addresses.ts';
import type { VersionInfo } from '../http/documents/version.ts';
import type { HealthCheck } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { openSigningKeys } from '../process/signing-keys.ts';
import { sealerWithKeys } from '../seal/open-sealer.ts';
import type { EncryptedRows } from '../seal/rows/row-cipher.ts';
import type { AgentDir } from './agent-dir.ts';
import type { AgentHost } from './agent-host.ts';
import { openAgentStore } from './open-agent-store.ts';

export interface BuiltInAgentHostOptions {
  readonly dir: Pick<AgentDir, 'store' | 'signingKey' | 'sealKey'>;
  /** The rows to encrypt; `undefined` to keep the choice with which the store was created. */
  readonly encryptedRows: EncryptedRows | undefined;
  /** The certificate authority, as PEM, that clients inside the cluster use to verify the API. */
  readonly authority: string | undefined;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** The worker threads that run virtual clusters. If absent, virtual clusters run on this thread. */
  readonly workers?: Omit<PlaneWorkersSettings, 'sealerKeys'>;
  readonly clock: Clock;
  readonly log: Log;
}

const memoryBudget = 256 * 1024 * 1024;
const maxVirtualClusterBytes = 512 * 1024 * 1024;
const longestTokenSeconds = 30 * 24 * 3600;
const bodyBytes = 3 * 1024 * 1024;

/** Opens a built-in cluster with its own store. It works even if the control server is unreachable. */
export async function builtInAgentHost(options: BuiltInAgentHostOptions): Promise<AgentHost> {
  const { dir, encryptedRows: rows, authority, version, healthChecks, workers, clock, log } = options;
  const opened = await openAgentStore({ directory: dir.store, sealKeyFile: dir.sealKey, rows, clock, log });
  const { store, sealerKeys } = opened;
  try {
    const signingKeys = await openSigningKeys({ path: dir.signingKey, clock, longestTTL: longestTokenSeconds });
    let maintenance: Maintenance | undefined;
    const planes = await openBuiltInClusterPlanes({
      store,
      clock,
      log,
      sealing: sealerWithKeys(sealerKeys),
      tokens: serviceAccountTokenKeys({ signingKeys, installation: store.identity }),
      longestTokenSeconds,
      webhookAddresses: [publicAddresses],
      ...(authority === undefined ? {} : { certificateAuthority: authority }),
      memoryBudget,
      defaultApi: 'full',
      maxVirtualClusterBytes,
      maxVirtualClusterObjects: defaultMaxObjects,
      bodyBytes,
      version,
      healthChecks,
      onMaintenance: (left) => maintenance?.wake(left),
      ...(workers === undefined ? {} : { workers: { ...workers, sealerKeys } }),
    });
    planes.startWorkersAhead();
    maintenance = startMaintenance({ store, clock, log, runTask: planes.runTask });
    maintenance.wake();
    return {
      kind: 'built-in',
      virtualClusters: builtInGateway(planes),
      spaces: builtInSpaces(planes, clock),
      builtIn: planes.builtIn,
      async close() {
        await maintenance?.stop();
        await planes.close();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
