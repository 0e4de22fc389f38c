import { apiWord, builtInClusterName } from '../api/naming.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { serviceAccountTokenKeys } from '../builtin/account-token-keys.ts';
import type { StartPlaneThread } from '../builtin/workers/plane-workers.ts';
import type { TokenKeys } from '../controlplane/core/accounts/account-tokens.ts';
import { type VersionInfo, versionInfo } from '../http/documents/version.ts';
import type { HealthCheck } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { programVersion } from '../lib/program-version.ts';
import type { CloseStack } from '../process/close-stack.ts';
import { loadServingTls, type ServingTls } from '../process/serving-tls.ts';
import type { SigningKeys } from '../process/signing-keys.ts';
import type { StartThread } from '../process/threads/thread.ts';
import { openTracing, type Tracing } from '../process/tracing/open-tracing.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { SealerKeys } from '../seal/open-sealer.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { Store } from '../store/store.ts';
import { openServerAudit, type ServerAudit } from './audit/open-server-audit.ts';
import { openServerReplicas } from './background/open-server-replicas.ts';
import { openScheduledBackups } from './backups/open-scheduled-backups.ts';
import type { ScheduledBackups } from './backups/scheduled-backups.ts';
import { checkApiWord } from './data/check-api-word.ts';
import { assertSupportedSchema, followSchema, raiseSchema } from './data/check-schema.ts';
import { type DataDir, openDataDir } from './data/data-dir.ts';
import { installationRange, recordInstallation } from './data/installation.ts';
import { withInstallationDefaults } from './data/installation-defaults.ts';
import { openStore } from './data/open-store.ts';
import { loadReplicaId } from './data/replica-id.ts';
import { writeHealthCheck } from './data/write-check.ts';
import { announcedRootKeys } from './encryption/announced-root-keys.ts';
import { followEncryption } from './encryption/follow-encryption.ts';
import { type Encryption, openEncryption } from './encryption/open-encryption.ts';
import { KeyRotation } from './encryption/rotation.ts';
import { openStoreFreshness, type StoreFreshness } from './freshness/store-freshness.ts';
import { managementSlice } from './open-management.ts';
import { type AuditSearch, openAuditSearch } from './peers/open-audit-search.ts';
import { type InstallationSecrets, loadSecrets } from './secrets/load-secrets.ts';
import type { ConfiguredOptions, ServerOptions } from './settings/options.ts';
import type { RenderThreadData } from './templates/render-thread.ts';
import { Tunnels } from './tunnels/tunnels.ts';

/** The services that a server needs from its environment during its start. */
export interface ServerEnvironment {
  readonly clock: Clock;
  readonly log: Log;
  /** The close functions of everything that was opened. They are called in reverse order. */
  readonly closing: CloseStack;
  /** Starts other threads. If absent, virtual clusters run and templates are rendered on the main thread. */
  readonly threads?: ServerThreads | undefined;
  /** An open store, which tests share between several servers. If absent, the server opens the store of its settings. */
  readonly store?: Store | undefined;
  /** The version that decides which agents may connect. Optional; defaults to the version of the program. */
  readonly serverVersion?: string | undefined;
}

/** The functions that start the threads of a server. */
export interface ServerThreads {
  readonly planes: StartPlaneThread;
  readonly rendering: StartThread<RenderThreadData>;
}

/** The settings, the files, the store and the keys, which all other parts of the server use. */
export interface ServerContext extends ServerEnvironment {
  readonly settings: ServerOptions;
  /** The ID of this server among the replicas of the store. */
  readonly replicaId: string;
  readonly dir: DataDir;
  readonly store: Store;
  /** This server as one of the replicas that share the store. */
  readonly replicas: Replicas;
  /** The tunnels of agents to this server. */
  readonly tunnels: Tunnels;
  readonly rotation: KeyRotation;
  /** The backups that the server makes itself. Absent if none are scheduled. */
  readonly backups: ScheduledBackups | undefined;
  readonly sealer: Sealer;
  /** The keys of the sealer, for other threads. They must never be stored or logged. */
  readonly sealerKeys: SealerKeys;
  readonly tls: ServingTls;
  readonly signingKeys: SigningKeys;
  readonly tokens: TokenKeys;
  readonly auditLog: AuditLog;
  /** The files, the key and the checkpoints of the audit log. */
  readonly audit: ServerAudit;
  /** Searches the audit logs of all servers that share the store. */
  readonly searchAudit: AuditSearch['search'];
  /** Verifies the audit logs of all servers that share the store. */
  readonly verifyAudit: AuditSearch['verify'];
  readonly tracing: Tracing;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: StoreFreshness | undefined;
  readonly lifecycle: ServerLifecycle;
}

/** The ID of a server whose store is not shared. */
const onlyReplica = 'only';

export interface ServerLifecycle {
  /** True after the shutdown has started. */
  ending: boolean;
  /** The URL at which this server listens, without a load balancer; empty before it listens. */
  url: string;
}

/** Opens the data directory, the store, the keys and certificates, and the audit log. */
export async function openServerContext(
  configured: ConfiguredOptions,
  environment: ServerEnvironment,
): Promise<ServerContext> {
  const { clock, log, closing } = environment;
  const { dir, opened, settings, encryption } = await openInstallation(configured, environment);
  const { sealer, sealerKeys } = encryption;
  const lifecycle: ServerLifecycle = { ending: false, url: '' };
  const id = opened.isShared ? await loadReplicaId(dir.replicaId) : onlyReplica;
  let freshness: StoreFreshness | undefined;
  let auditSearch: AuditSearch | undefined;
  const { replicas, store } = openServerReplicas({
    id,
    store: encryption.store,
    settings,
    sealer,
    url: () => lifecycle.url,
    peerAddress: () => auditSearch?.peerAddress,
    caches: () => freshness?.caches,
    rootKeys: await announcedRootKeys(encryption.roots, clock),
    clock,
    log,
  });
  closing.add('replicas', () => replicas.close());
  const longestTTL = longestTokenTTL(settings);
  const secrets = await loadSecrets({ store, sealer, dir, settings, longestTTL, clock, log, closing });
  const { signingKeys, authority, rows } = secrets;
  const tls = await loadServingTls({ dir, settings, authority, clock, log });
  const audit = await openServerAudit({ id, store, sealer, dir, settings, clock, log, closing });
  const tunnels = new Tunnels(clock);
  closing.add('tunnels', () => tunnels.close());
  auditSearch = await openAuditSearch({
    id,
    isShared: opened.isShared,
    audit,
    replicas,
    authority,
    settings,
    tunnels,
    clock,
    log,
    closing,
  });
  const tracing = await openTracing({ settings: settings.tracing, instanceId: id, clock, log });
  closing.add('tracing', () => tracing.close());
  const slices = [managementSlice, builtInClusterName, installationRange.slice];
  freshness = await openStoreFreshness({ store, slices, clock, log });
  closing.add('freshness', () => freshness?.close());
  const schemaChecks = followInstallation(rows, encryption.keyring, freshness);
  return {
    ...environment,
    settings,
    replicaId: id,
    dir,
    store,
    replicas,
    tunnels,
    rotation: new KeyRotation({ encryption, clock, log }),
    backups: await openScheduledBackups({ settings, dir, store, clock, log }),
    sealer,
    sealerKeys,
    tls,
    signingKeys,
    tokens: serviceAccountTokenKeys({ signingKeys, installation: store.identity }),
    audit,
    auditLog: audit.auditLog,
    searchAudit: auditSearch.search,
    verifyAudit: auditSearch.verify,
    tracing,
    version: versionInfo({ packageVersion: programVersion }),
    healthChecks: [
      ...serverChecks({ store, freshness, lifecycle, clock, log }),
      ...schemaChecks,
      ...encryption.healthChecks,
      ...audit.auditChecks,
    ],
    freshness,
    lifecycle,
  };
}

/**
 * Applies changes that other servers make to the encryption and to the schema of the store. Returns the health checks
 * of the schema.
 */
function followInstallation(
  rows: InstallationSecrets['rows'],
  keyring: Encryption['keyring'],
  freshness: StoreFreshness | undefined,
): HealthCheck[] {
  if (rows === undefined) return [];
  followEncryption(rows, keyring);
  return freshness === undefined ? [] : [followSchema(rows, freshness)];
}

/** Opens the data directory and the store, and decrypts the keys of the store. */
async function openInstallation(configured: ConfiguredOptions, environment: ServerEnvironment) {
  const { clock, log, closing } = environment;
  const dir = await openDataDir(configured.dataDir);
  const opened = await openStoreOf(environment, dir, configured);
  await checkApiWord(opened, apiWord);
  const settings = await withInstallationDefaults(configured, opened);
  const sealKeyFile = settings.sealKeyFile ?? dir.sealKey;
  const encryption = await openEncryption({ store: opened, settings, sealKeyFile, clock, log, closing });
  await recordInstallation(dir, opened, settings.store);
  if (!opened.isShared) {
    await raiseSchema(opened);
    encryption.keyring.enable();
  }
  return { dir, opened, settings, encryption };
}

function longestTokenTTL({ management, planes, auth }: ServerOptions): number {
  const idTokens = auth.oidcProvider.clients.map(({ tokenTTL }) => tokenTTL);
  return Math.max(management.directTokens.maxTTL, management.gateway.maxTokenTTL, planes.maxTokenTTL, ...idTokens);
}

function serverChecks({
  store,
  freshness,
  lifecycle,
  clock,
  log,
}: Pick<ServerContext, 'store' | 'freshness' | 'lifecycle' | 'clock' | 'log'>): HealthCheck[] {
  return [
    {
      name: 'store',
      on: ['healthz', 'readyz'],
      check: async () => {
        // If the store is shared, uses the result of its regular polls. With a query for each health request, anybody
        // could put load on the shared store.
        if (freshness === undefined) await store.revision(managementSlice);
        else await freshness.requireCurrent();
      },
    },
    {
      name: 'shutdown',
      on: ['readyz'],
      check() {
        if (lifecycle.ending) throw new Error('the server is shutting down');
      },
    },
    writeHealthCheck(store, clock, log),
    ...(freshness === undefined ? [] : [freshness.healthCheck]),
  ];
}

/** Returns the store that the environment provides, or opens the store of the settings. */
async function openStoreOf(
  { store, clock, log, closing }: ServerEnvironment,
  dir: DataDir,
  settings: Pick<ServerOptions, 'store' | 'history' | 'etcd'>,
): Promise<Store> {
  if (store === undefined) return await openStore(dir, settings, { clock, log, closing });
  closing.add('store', () => store.close());
  await assertSupportedSchema(store);
  return store;
}
