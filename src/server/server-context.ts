import { apiWord, builtInClusterName } from '../api/naming.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { monitorAuditLog } from '../audit/monitor-audit-log.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { serviceAccountTokenKeys } from '../builtin/account-token-keys.ts';
import type { StartPlaneThread } from '../builtin/workers/plane-workers.ts';
import type { TokenKeys } from '../controlplane/core/accounts/account-tokens.ts';
import { type VersionInfo, versionInfo } from '../http/documents/version.ts';
import type { Freshness } from '../http/freshness.ts';
import type { HealthCheck } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { programVersion } from '../lib/program-version.ts';
import type { CloseStack } from '../process/close-stack.ts';
import { describeError } from '../process/private-dir.ts';
import { loadServingTls, type ServingTls } from '../process/serving-tls.ts';
import type { SigningKeys } from '../process/signing-keys.ts';
import { StartError } from '../process/start-error.ts';
import type { StartThread } from '../process/threads/thread.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { SealerKeys } from '../seal/open-sealer.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { Store } from '../store/store.ts';
import { openServerReplicas } from './background/open-server-replicas.ts';
import { checkApiWord } from './data/check-api-word.ts';
import { assertSupportedSchema, followSchema, raiseSchema } from './data/check-schema.ts';
import { type DataDir, openDataDir } from './data/data-dir.ts';
import { installationRange, recordInstallation } from './data/installation.ts';
import { loadSealer } from './data/load-sealer.ts';
import { openStore } from './data/open-store.ts';
import { loadReplicaId } from './data/replica-id.ts';
import { writeHealthCheck } from './data/write-check.ts';
import { openStoreFreshness, type StoreFreshness } from './freshness/store-freshness.ts';
import { managementSlice } from './open-management.ts';
import { type AuditSearch, openAuditSearch } from './peers/open-audit-search.ts';
import { loadSecrets } from './secrets/load-secrets.ts';
import type { ServerOptions } from './settings/options.ts';
import type { RenderThreadData } from './templates/render-thread.ts';

/** The services that a server uses during its start. */
export interface ServerEnvironment {
  readonly clock: Clock;
  readonly log: Log;
  /** The close functions of everything that was opened. They are called in reverse order. */
  readonly closing: CloseStack;
  /** Starts other threads. If absent, virtual clusters run on the main thread, and templates are rendered there. */
  readonly threads?: ServerThreads | undefined;
  /** An open store, which tests share between several servers. If absent, the server opens the store of its settings. */
  readonly store?: Store | undefined;
}

/** The functions that start the threads of a server. */
export interface ServerThreads {
  readonly planes: StartPlaneThread;
  readonly rendering: StartThread<RenderThreadData>;
}

/** The settings, the files, the store and the keys, which all other parts of the server use. */
export interface ServerContext extends ServerEnvironment {
  readonly settings: ServerOptions;
  readonly dir: DataDir;
  readonly store: Store;
  /** This server as one of the replicas that share the store. */
  readonly replicas: Replicas;
  readonly sealer: Sealer;
  /** The keys of the sealer, for other threads. They must never be stored or logged. */
  readonly sealerKeys: SealerKeys;
  readonly tls: ServingTls;
  readonly signingKeys: SigningKeys;
  readonly tokens: TokenKeys;
  readonly auditLog: AuditLog;
  /** Searches the audit logs of all servers that share the store. */
  readonly searchAudit: AuditSearch['search'];
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
  settings: ServerOptions,
  environment: ServerEnvironment,
): Promise<ServerContext> {
  const { clock, log, closing } = environment;
  const dir = await openDataDir(settings.dataDir);
  const opened = await openStoreOf(environment, dir, settings);
  await checkApiWord(opened, apiWord);
  const { sealer, sealerKeys } = await loadSealer(settings.sealKeyFile ?? dir.sealKey, opened);
  await recordInstallation(dir, opened, settings.store);
  if (!opened.isShared) await raiseSchema(opened);
  const lifecycle: ServerLifecycle = { ending: false, url: '' };
  const id = opened.isShared ? await loadReplicaId(dir.replicaId) : onlyReplica;
  let freshness: StoreFreshness | undefined;
  let auditSearch: AuditSearch | undefined;
  const { replicas, store } = openServerReplicas({
    id,
    store: opened,
    settings,
    sealer,
    url: () => lifecycle.url,
    peerAddress: () => auditSearch?.peerAddress,
    caches: () => freshness?.caches,
    clock,
    log,
  });
  closing.add('replicas', () => replicas.close());
  const longestTTL = longestTokenTTL(settings);
  const secrets = await loadSecrets({ store, sealer, dir, settings, longestTTL, clock, log, closing });
  const { signingKeys, authority, rows } = secrets;
  const tls = await loadServingTls({ dir, settings, authority, clock, log });
  const { auditLog, auditChecks } = await openServerAuditLog(environment, dir, settings, opened.isShared);
  auditSearch = await openAuditSearch({
    id,
    isShared: opened.isShared,
    location: { path: dir.auditLog, keptFiles: settings.audit.keptFiles },
    replicas,
    authority,
    settings,
    clock,
    log,
    closing,
  });
  const slices = [managementSlice, builtInClusterName, installationRange.slice];
  freshness = await openStoreFreshness({ store, slices, clock, log });
  closing.add('freshness', () => freshness?.close());
  const schemaChecks = freshness === undefined || rows === undefined ? [] : [followSchema(rows, freshness)];
  return {
    ...environment,
    settings,
    dir,
    store,
    replicas,
    sealer,
    sealerKeys,
    tls,
    signingKeys,
    tokens: serviceAccountTokenKeys({ signingKeys, installation: store.identity }),
    auditLog,
    searchAudit: auditSearch.search,
    version: versionInfo({ packageVersion: programVersion }),
    healthChecks: [
      ...serverChecks(store, freshness, lifecycle),
      writeHealthCheck(store, clock, log),
      ...(freshness === undefined ? [] : [freshness.healthCheck]),
      ...schemaChecks,
      ...auditChecks,
    ],
    freshness,
    lifecycle,
  };
}

/**
 * Opens the audit log. If the store is not on this disk (`isShared`), also returns a check of `/readyz`: a server that must
 * refuse writes because it cannot record them is not ready, and a load balancer uses the others.
 */
async function openServerAuditLog(
  { clock, log, closing }: ServerEnvironment,
  { auditLog: path }: DataDir,
  { audit: { maxBytes, keptFiles, onFailure } }: ServerOptions,
  isShared: boolean,
): Promise<{ readonly auditLog: AuditLog; readonly auditChecks: readonly HealthCheck[] }> {
  const opened = await openAuditLog({ path, maxBytes, keptFiles }).catch((error: unknown) => {
    throw new StartError(`cannot open the audit log ${path}: ${describeError(error)}`, { cause: error });
  });
  closing.add('audit log', () => opened.close());
  if (!isShared || onFailure === 'continue') return { auditLog: opened, auditChecks: [] };
  const { auditLog, assertWritable } = monitorAuditLog({ auditLog: opened, path, clock, log });
  return { auditLog, auditChecks: [{ name: 'audit-log', on: ['readyz'], check: assertWritable }] };
}

function longestTokenTTL({ management, planes }: ServerOptions): number {
  return Math.max(management.directTokens.maxTTL, management.gateway.maxTokenTTL, planes.maxTokenTTL);
}

function serverChecks(
  store: Store,
  freshness: Freshness | undefined,
  lifecycle: Readonly<ServerLifecycle>,
): HealthCheck[] {
  return [
    {
      name: 'store',
      on: ['healthz', 'readyz'],
      check: async () => {
        // A shared store is asked twice a second anyway. Asking for each request would let anybody put load on it.
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
  ];
}

/** Returns the store that the environment provides, or opens the store of the settings. */
async function openStoreOf(
  { store, clock, log, closing }: ServerEnvironment,
  dir: DataDir,
  settings: ServerOptions,
): Promise<Store> {
  if (store === undefined) return await openStore(dir, settings, { clock, log, closing });
  closing.add('store', () => store.close());
  await assertSupportedSchema(store);
  return store;
}
