import { WorkMarks } from '../builtin/work-marks.ts';
import type { IncomingRequest } from '../http/exchange.ts';
import type { Reply } from '../http/reply.ts';
import { programVersion } from '../lib/program-version.ts';
import { accessKeyHashPurpose } from '../management/resources/accesskeys.ts';
import { isUnscopedAdmin } from '../management/subject.ts';
import { CloseStack } from '../process/close-stack.ts';
import { describeError } from '../process/private-dir.ts';
import { StartError } from '../process/start-error.ts';
import { serverUrl, startListener } from '../process/start-listener.ts';
import { accountTokenLimits } from './account-token-limits.ts';
import { openAgentApi } from './agents/open-agent-api.ts';
import { auditHandler } from './audit/audit-handler.ts';
import { checkpointsHandler, verifyHandler } from './audit/evidence-handlers.ts';
import { exportHandler } from './audit/export-handler.ts';
import { type AccessKeys, openAccessKeys } from './auth/access-keys.ts';
import { RefreshCounters } from './auth/oidc/refresh/refresh-report.ts';
import { openAuthHandlers } from './auth/open-auth.ts';
import { runOnLeader } from './background/run-on-leader.ts';
import { backupsHandler } from './backups/backups-handler.ts';
import type { ScheduledBackups } from './backups/scheduled-backups.ts';
import { isConsoleBuilt, readConsoleFiles } from './console/console-files.ts';
import { consoleHandler } from './console/console-handler.ts';
import { ensureAdminKubeconfig } from './data/admin-files.ts';
import { backupHandler } from './data/backup-handler.ts';
import { encryptionHandler } from './encryption/encryption-handler.ts';
import { frontHandler } from './front-handler.ts';
import { mailHandler } from './mail/mail-handler.ts';
import type { NotificationMails } from './mail/notification-mails.ts';
import { openNotificationMails } from './mail/open-notification-mails.ts';
import { markingServer } from './marking-server.ts';
import { CertificateExpiries } from './metrics/certificate-expiries.ts';
import { ControllerMetrics } from './metrics/controller-metrics.ts';
import { fleetGauges } from './metrics/fleet-gauges.ts';
import { serverMetrics } from './metrics/server-metrics.ts';
import { type ControlPlanes, openControlPlanes } from './open-control-planes.ts';
import { type Gateway, openGateway } from './open-gateway.ts';
import type { ControllerInputs, ManagementApi } from './open-management.ts';
import { reachableAddress } from './peers/reachable-address.ts';
import { replicasHandler } from './replicas-handler.ts';
import { openServerContext, type ServerContext, type ServerEnvironment } from './server-context.ts';
import { type ServerRouterOptions, serverRouter } from './server-router.ts';
import type { ConfiguredOptions } from './settings/options.ts';
import { TemplateRenderer } from './templates/template-renderer.ts';
import { WebhookCounters } from './webhooks/webhook-counters.ts';

export interface RunningServer {
  /** The URL of this server in kubeconfigs, without a trailing slash. */
  readonly url: string;
  /** True if the server serves the web console at this URL. */
  readonly hasConsole: boolean;
  /** Shuts the server down: ends watches, lets other in-flight requests finish, and closes the store. */
  close(): Promise<void>;
}

/**
 * Time for in-flight requests to finish. The rest of the ten seconds for a shutdown is for closing the store and the
 * logs.
 */
const drainMilliseconds = 8_000;

/** Starts the server. If the start fails, closes everything and rejects with a one-line message. */
export async function startServer(
  settings: ConfiguredOptions,
  environment: Omit<ServerEnvironment, 'closing'>,
): Promise<RunningServer> {
  const closing = new CloseStack(environment.log);
  try {
    const server = await openServerContext(settings, { ...environment, closing });
    return await serve(server);
  } catch (error) {
    await closing.close();
    throw explainSystemError(error, settings.dataDir);
  }
}

/** Converts errors of the operating system, such as a full disk or missing permissions, into messages for the user. */
function explainSystemError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const { dest, path } = error as NodeJS.ErrnoException & { dest?: string };
  const file = dest ?? path ?? `the data directory ${dataDir}`;
  return new StartError(`cannot use ${file}: ${describeError(error)}`, { cause: error });
}

async function serve(server: ServerContext): Promise<RunningServer> {
  const { settings, log, closing, dir, tls } = server;
  let url = settings.externalUrl;
  const controlPlanes = await openControlPlanes(server, () => url);
  const certificates = new CertificateExpiries();
  certificates.set('serving', tls.pair.cert);
  if (tls.authority !== undefined) certificates.set('ca', tls.authority);
  const mails = await openNotificationMails(server, controlPlanes.management, () => url);
  const renderer = await openRenderer(server);
  const { handler, startControllers } = openHandler(server, controlPlanes, { certificates, mails, renderer });
  const listener = await startListener({
    ...settings.listen,
    log,
    tls: tls.pair,
    handler: frontHandler(handler, settings.server),
  });
  closing.add('listener', () => listener.drain(drainMilliseconds));
  closing.add(
    'certificate',
    tls.follow((pair) => {
      listener.updateTls(pair.cert, pair.key);
      certificates.set('serving', pair.cert);
    }),
  );

  url ??= serverUrl(settings.listen.host, listener.port);
  const content = { url, apiPrefix: settings.apiPrefix, authority: tls.authority };
  server.lifecycle.url = `https://${reachableAddress(settings.listen.host, listener.port)}`;
  await ensureAdminKubeconfig(dir, content, controlPlanes.isNew);
  const hasConsole = settings.console.enabled && (await isConsoleBuilt(settings.console.directory));
  log.info({ url, dataDir: dir.path, version: programVersion }, 'serving');
  // The workers start only after the server answers health checks and lets administrators delete objects. A harmful
  // stored object can therefore prevent neither.
  controlPlanes.planes.startWorkersAhead();
  controlPlanes.startMaintenance();
  startControllers();
  closing.add(
    'key rotation',
    runOnLeader(server.replicas, () => server.rotation.start()),
  );
  if (server.backups !== undefined) runBackups(server.backups, server);
  if (mails !== undefined) {
    closing.add(
      'mails',
      runOnLeader(server.replicas, (fence, assertCurrent) => mails.start(fence, assertCurrent)),
    );
  }
  server.replicas.start();
  return {
    url,
    hasConsole,
    async close() {
      server.lifecycle.ending = true;
      log.info({}, 'shutting down; waiting for in-flight requests');
      await closing.close();
    },
  };
}

/** Makes scheduled backups on the leader, and shows their state on every server. */
function runBackups(backups: ScheduledBackups, { replicas, closing }: ServerContext): void {
  closing.add('state of backups', backups.follow());
  closing.add(
    'backups',
    runOnLeader(replicas, (fence, assertCurrent) => backups.start(fence, assertCurrent)),
  );
}

interface OpenedHandler {
  /** Handles all requests. */
  handler(request: IncomingRequest): Promise<Reply>;
  startControllers(): void;
}

interface HandlerParts {
  readonly certificates: CertificateExpiries;
  /** Absent if the server sends no mails. */
  readonly mails: NotificationMails | undefined;
  readonly renderer: Renderer;
}

/** Renders templates. If the members are absent, the controllers render templates themselves. */
type Renderer = Pick<ControllerInputs, 'render' | 'readObjects'>;

/** Opens the gateway and authentication. */
function openHandler(
  server: ServerContext,
  opened: ControlPlanes,
  { certificates, mails, renderer }: HandlerParts,
): OpenedHandler {
  const { settings, clock, log, closing, dir, auditLog, version } = server;
  const { replicas, freshness } = server;
  const { management, planes, connected, hosts } = opened;
  const { plane, state } = management;
  const gateway = openServerGateway(server, opened);
  let stopControllers: (() => Promise<void>) | undefined;
  closing.add('controllers', () => stopControllers?.());
  const accessKeys = openServerAccessKeys(server, management);
  const refreshCounters = new RefreshCounters();
  const observer = new ControllerMetrics(server.tracing.tracer);
  const webhookCounters = new WebhookCounters();
  const authenticate = (token: string, mark?: string) => accessKeys.authenticator.authenticate(token, mark);
  const handler = serverRouter({
    settings,
    clock,
    log,
    management: plane,
    builtIn: planes.builtIn,
    isCluster: (name) => state.cluster(name) !== undefined,
    apiOf: (name) => connected.apiOf(name),
    gateway,
    authenticate,
    freshness,
    isExemptFromLimits: (identity) => isUnscopedAdmin(identity, state),
    tracer: server.tracing.tracer,
    resume: (key) => accessKeys.authenticator.authenticateByKey(key),
    auditLog,
    version,
    healthChecks: server.healthChecks,
    metrics: serverMetrics(server, opened, {
      mails,
      labelledGauges: [
        ...refreshCounters.gauges(),
        ...[...observer.gauges(), webhookCounters.gauge()],
        ...fleetGauges(plane.kinds),
        certificates.gauge(),
      ],
    }),
    agentApi: openAgentApi({
      ...server,
      management,
      accessKeys,
      auditPath: dir.auditLog,
      apiPrefix: settings.apiPrefix,
      gateway: settings.management.gateway,
      limits: settings.limits,
      activity: gateway.activity,
    }),
    auth: openAuthHandlers({ ...server, management, authenticate, refreshCounters }),
    ...operatorHandlers(server),
    mail: mailHandler(mails),
  });
  return {
    handler,
    startControllers() {
      stopControllers = replicas.run((tenure) => {
        const hostOf = hosts.fenced(tenure.fence);
        const inputs = { activity: gateway.activity, connected, hostOf, tenure, observer, webhookCounters };
        return management.start({ ...inputs, ...renderer });
      });
    },
  };
}

function openServerGateway(server: ServerContext, opened: ControlPlanes): Gateway {
  const { settings, clock, log, closing, store } = server;
  const { management, hosts } = opened;
  const gateway = openGateway({
    ...opened,
    tokens: server.tokens,
    store,
    hostOf: (cluster) => hosts.hostOf(cluster),
    serviceAccountTokens: settings.management.gateway.serviceAccountTokens,
    accountTokenLimits: accountTokenLimits(settings.management, management.state, clock),
    clock,
    log,
  });
  closing.add('gateway', () => gateway.close());
  return gateway;
}

function openServerAccessKeys(
  { sealer, replicas, store, closing, clock, log }: ServerContext,
  { plane, state }: ManagementApi,
): AccessKeys {
  const accessKeys = openAccessKeys({
    kinds: plane.kinds,
    state,
    hash: (token) => sealer.hash(accessKeyHashPurpose, token),
    replicas,
    isShared: store.isShared,
    clock,
    log,
  });
  closing.add('access keys', () => accessKeys.close());
  return accessKeys;
}

/** The handlers for the people who run the server, and the console. */
function operatorHandlers({
  settings,
  store,
  replicas,
  searchAudit,
  verifyAudit,
  audit,
  rotation,
  backups,
}: ServerContext): Pick<ServerRouterOptions, 'backup' | 'backups' | 'replicas' | 'audit' | 'encryption' | 'console'> {
  const { directory } = settings.console;
  return {
    backup: backupHandler(store),
    backups: backupsHandler(backups),
    replicas: replicasHandler(replicas),
    audit: {
      search: auditHandler(searchAudit),
      export: exportHandler(searchAudit),
      verify: verifyHandler(verifyAudit),
      checkpoints: checkpointsHandler(audit),
    },
    encryption: encryptionHandler(rotation),
    console: consoleHandler({ read: () => readConsoleFiles(directory), apiPrefix: settings.apiPrefix }),
  };
}

/**
 * Opens the renderer of templates. If the server has other threads, templates are rendered and their objects are read
 * on a separate thread.
 */
async function openRenderer(server: ServerContext): Promise<Renderer> {
  const { settings, threads, closing, store, clock, log } = server;
  if (threads === undefined || settings.planes.workers === 0) return {};
  const { stallSeconds } = settings.planes;
  const marks = await WorkMarks.open({ store, subject: 'templates', server: markingServer(server), clock, log });
  const renderer = new TemplateRenderer({ startThread: threads.rendering, stallSeconds, marks, clock, log });
  closing.add('template renderer', () => renderer.close());
  return {
    render: (source) => renderer.render(source),
    readObjects: (text, project) => renderer.readObjects(text, project),
  };
}
