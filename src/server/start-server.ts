import type { Kubeconfig } from '../api/kubeconfig.ts';
import { builtInClusterName } from '../api/naming.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { accountTokenKeys } from '../builtin/account-token-keys.ts';
import { openPlanes } from '../builtin/open-planes.ts';
import type { ControlPlane } from '../controlplane/control-plane.ts';
import { type Maintenance, startMaintenance } from '../controlplane/maintenance/maintenance.ts';
import type { Host } from '../hosts/host.ts';
import { connectToHost, type HostConnection } from '../hosts/kubernetes/reach/host-connection.ts';
import { versionInfo } from '../http/documents/version.ts';
import { createMetrics } from '../http/metrics/create-metrics.ts';
import type { ObjectCount } from '../http/metrics/server-gauges.ts';
import type { HealthCheck } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { programVersion } from '../lib/program-version.ts';
import { bootstrap } from '../management/bootstrap.ts';
import { accessKeyHashPurpose } from '../management/resources/accesskeys.ts';
import { CloseStack } from '../process/close-stack.ts';
import { describeError } from '../process/private-dir.ts';
import { loadServingTls } from '../process/serving-tls.ts';
import { openSigningKeys } from '../process/signing-keys.ts';
import { StartError } from '../process/start-error.ts';
import { serverUrl, startListener } from '../process/start-listener.ts';
import type { MaintenanceWork } from '../registry/write/maintenance-work.ts';
import type { Store } from '../store/store.ts';
import { openAgentApi } from './agents/open-agent-api.ts';
import { auditHandler } from './audit-handler.ts';
import { openAccessKeys } from './auth/access-keys.ts';
import { openAuth } from './auth/open-auth.ts';
import { updateBuiltInClusterStatus } from './built-in-cluster-status.ts';
import type { ConnectedHosts } from './connected-hosts.ts';
import { isConsoleBuilt, readConsoleFiles } from './console/console-files.ts';
import { consoleHandler } from './console/console-handler.ts';
import { ensureAdminKubeconfig, writeAdminKey } from './data/admin-files.ts';
import { backupHandler } from './data/backup-handler.ts';
import { openDataDir } from './data/data-dir.ts';
import { diskCheck } from './data/disk-check.ts';
import { loadSealer } from './data/load-sealer.ts';
import { openStore } from './data/open-store.ts';
import { openConnectedHosts } from './open-connected-hosts.ts';
import { openGateway } from './open-gateway.ts';
import { openManagement } from './open-management.ts';
import { serverRouter } from './server-router.ts';
import type { ServerOptions } from './settings/options.ts';

export interface RunningServer {
  /** The URL in kubeconfigs, without a trailing slash. */
  readonly url: string;
  /** True if the web console is available at the URL. */
  readonly hasConsole: boolean;
  /** Shuts down: ends watches cleanly, lets in-flight requests finish, and closes everything. */
  close(): Promise<void>;
}

/** Time for requests to finish. The rest of the ten seconds is for closing everything else. */
const drainMilliseconds = 8_000;

/** Starts the store, the control planes and HTTP. Rejects with a one-line message, after closing everything. */
export async function startServer(
  settings: ServerOptions,
  { clock, log }: { clock: Clock; log: Log },
): Promise<RunningServer> {
  const closing = new CloseStack(log);
  try {
    return await assemble(settings, clock, log, closing);
  } catch (error) {
    await closing.close();
    throw explainSystemError(error, settings.dataDir);
  }
}

/** Turns errors of the operating system, such as a full disk or missing permissions, into messages for the user. */
function explainSystemError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const { dest, path } = error as NodeJS.ErrnoException & { dest?: string };
  const file = dest ?? path ?? `the data directory ${dataDir}`;
  return new StartError(`cannot use ${file}: ${describeError(error)}`, { cause: error });
}

async function assemble(settings: ServerOptions, clock: Clock, log: Log, closing: CloseStack): Promise<RunningServer> {
  const dir = await openDataDir(settings.dataDir);
  const store = await openStore(dir, settings, clock, log);
  closing.add('store', () => store.close());
  const sealer = await loadSealer(settings.sealKeyFile ?? dir.sealKey, store);
  const tls = await loadServingTls(dir, settings, clock, log);
  const { maxTokenTTL } = settings.planes;
  const { directTokens, gateway: gatewaySettings } = settings.management;
  const longestTTL = Math.max(directTokens.maxTTL, gatewaySettings.maxTokenTTL, maxTokenTTL);
  const signingKeys = await openSigningKeys({ path: dir.signingKey, clock, longestTTL });
  const { maxBytes, keptFiles } = settings.audit;
  const auditLog = await openAuditLog({ path: dir.auditLog, maxBytes, keptFiles }).catch((error: unknown) => {
    throw new StartError(`cannot open the audit log ${dir.auditLog}: ${describeError(error)}`, { cause: error });
  });
  closing.add('audit log', () => auditLog.close());

  const version = versionInfo({ packageVersion: programVersion });
  const lifecycle = { ending: false };
  const checks = [...healthChecks(store, lifecycle), diskCheck(store, clock, log)];
  let upkeep: Maintenance | undefined;
  const onUpkeep = (left: MaintenanceWork) => upkeep?.wake(left);
  let host: Host | undefined;
  let connected: ConnectedHosts | undefined;
  const hostOf = (cluster: string): Host | undefined =>
    cluster === builtInClusterName ? host : connected?.hostOf(cluster);
  const connect = (kubeconfig: Kubeconfig): HostConnection => connectToHost(kubeconfig, { clock });
  let url = settings.externalUrl;
  const tokens = accountTokenKeys({ signingKeys, installation: store.identity });
  const management = await openManagement({
    store,
    sealer,
    settings: settings.management,
    signer: signingKeys.current,
    sign: (claims) => tokens.sign(claims),
    address: () => ({ root: `${url}/${settings.apiPrefix}`, authority: tls.authority }),
    hasGateway: (cluster) => hostOf(cluster) !== undefined,
    clock,
    log,
    hostOf,
    connect,
    onMaintenanceWork: onUpkeep,
  });
  closing.add('management', () => management.plane.close());
  const planes = await openPlanes({
    store,
    clock,
    log,
    sealing: sealer,
    tokens,
    longestTokenSeconds: maxTokenTTL,
    ...(tls.authority === undefined ? {} : { certificateAuthority: tls.authority }),
    memoryBudget: settings.planes.memoryBytes,
    maxVirtualClusterBytes: settings.planes.maxBytes,
    bodyBytes: settings.limits.bodyBytes,
    version,
    healthChecks: checks,
    onMaintenance: onUpkeep,
  });
  host = planes.host;
  closing.add('control planes', () => planes.close());
  const newKey = await bootstrap(management.plane.kinds, { saveKey: (key) => writeAdminKey(dir, key) });
  const { plane: managementPlane } = management;
  await updateBuiltInClusterStatus(managementPlane.kinds, planes.local.kinds, version.gitVersion);
  upkeep = startMaintenance({
    store,
    clock,
    log,
    plane: async (id) => (id === managementPlane.id ? managementPlane : await planes.planeSource(id)),
  });
  closing.add('maintenance', () => upkeep?.stop());
  upkeep.wake();
  connected = await openConnectedHosts({
    kinds: managementPlane.kinds,
    sealer,
    connect,
    helm: settings.helm,
    dir,
    clock,
    log,
  });
  closing.add('connected clusters', () => connected?.close());
  const { serviceAccountTokens } = gatewaySettings;
  const gateway = openGateway({ management, planes, tokens, hostOf, serviceAccountTokens, clock });
  closing.add('gateway', () => gateway.close());
  closing.add('controllers', management.start({ activity: gateway.activity, connected }));
  const accessKeys = openAccessKeys({
    kinds: management.plane.kinds,
    state: management.state,
    hash: (token) => sealer.hash(accessKeyHashPurpose, token),
    clock,
    log,
  });
  closing.add('access keys', () => accessKeys.close());
  const authenticate = (token: string, mark?: string) => accessKeys.authenticator.authenticate(token, mark);

  const listener = await startListener({
    ...settings.listen,
    log,
    tls: tls.pair,
    handler: serverRouter({
      settings,
      clock,
      log,
      management: managementPlane,
      builtIn: planes.builtIn,
      isCluster: (name) => management.state.cluster(name) !== undefined,
      apiOf: (name) => connected?.apiOf(name),
      gateway,
      authenticate,
      resume: (key) => accessKeys.authenticator.resume(key),
      auditLog,
      version,
      healthChecks: checks,
      metrics: createMetrics({
        version,
        storedObjects: () => countObjects([managementPlane, planes.local]),
        loadedPlanes: () => planes.fleet.loaded,
      }),
      agentApi: openAgentApi({
        management,
        accessKeys,
        signingKeys,
        auditLog,
        auditPath: dir.auditLog,
        apiPrefix: settings.apiPrefix,
        installation: store.identity,
        serviceAccountTokens,
        activity: gateway.activity,
        clock,
      }),
      auth: openAuth({ settings, management, authenticate, sealer, signingKeys, closing, clock, log }),
      backup: backupHandler(store),
      audit: auditHandler({ path: dir.auditLog, keptFiles }),
      console: consoleHandler({
        read: () => readConsoleFiles(settings.console.directory),
        apiPrefix: settings.apiPrefix,
      }),
    }),
  });
  closing.add('listener', () => listener.drain(drainMilliseconds));
  closing.add(
    'certificate',
    tls.follow((pair) => listener.updateTls(pair.cert, pair.key)),
  );

  url ??= serverUrl(settings.listen.host, listener.port);
  const content = { url, apiPrefix: settings.apiPrefix, authority: tls.authority };
  await ensureAdminKubeconfig(dir, content, newKey !== undefined);
  const hasConsole = settings.console.enabled && (await isConsoleBuilt(settings.console.directory));
  log.info({ url, dataDir: dir.path, version: programVersion }, 'serving');
  return {
    url,
    hasConsole,
    async close() {
      lifecycle.ending = true;
      log.info({}, 'shutting down; waiting for in-flight requests');
      await closing.close();
    },
  };
}

function healthChecks(store: Store, lifecycle: { readonly ending: boolean }): HealthCheck[] {
  return [
    {
      name: 'store',
      on: ['healthz', 'readyz'],
      check: async () => {
        await store.revision('management');
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

/** Counts loaded kinds only: virtual clusters are usually on disk and are not loaded for this. */
function* countObjects(planes: readonly ControlPlane[]): Iterable<ObjectCount> {
  for (const { resource, count } of planes.flatMap((plane) => [...plane.kinds.values()])) {
    yield { group: resource.group, resource: resource.plural, count: count() };
  }
}
