import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { programVersion } from '../../lib/program-version.ts';
import { openReplicas } from '../../replicas/open-replicas.ts';
import type { CacheState } from '../../replicas/replica-rows.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import { reportFailedChecks } from '../../replicas/report-failed-checks.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import { supportedSchemas } from '../data/supported-schemas.ts';
import type { ServerOptions } from '../settings/options.ts';

export interface ServerReplicasOptions {
  /** The ID of this server. It is unique among the replicas of the store. */
  readonly id: string;
  readonly store: Store;
  readonly settings: ServerOptions;
  readonly sealer: Sealer;
  /** Returns the state of the caches of the management API; `undefined` before they are open. */
  caches(): CacheState | undefined;
  /** Returns the IDs of the root keys that this server has; `undefined` if they are in a KMS. */
  rootKeys(): readonly string[] | undefined;
  /** Returns the URL of this server. Called after the server listens. */
  url(): string;
  /** Returns the host and port at which this server listens for other replicas; `undefined` if it does not. */
  peerAddress(): string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens this server as one of the replicas that share a store. Also returns the store that all other parts must use. */
export function openServerReplicas(options: ServerReplicasOptions): {
  readonly replicas: Replicas;
  readonly store: Store;
} {
  const { id, store, clock, log } = options;
  const replicas = openReplicas({
    id,
    store,
    caches: options.caches,
    rootKeys: options.rootKeys,
    details: () => ({
      version: programVersion,
      schemas: supportedSchemas,
      address: options.url(),
      settings: settingsDigest(options),
      peerAddress: options.peerAddress(),
    }),
    clock,
    log,
  });
  if (!store.isShared) return { replicas, store };
  return { replicas, store: reportFailedChecks(store, (check) => replicas.reportFailedCheck(check)) };
}

/** Returns a digest of the settings that must be equal on all replicas. Only servers with the seal key can compute it. */
function settingsDigest({ sealer, settings }: ServerReplicasOptions): string {
  const { apiPrefix, auth, limits, management } = settings;
  return sealer.hash('settings of a replica', JSON.stringify({ apiPrefix, auth, limits, management }));
}
