import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet } from 'jose';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { affectedPrincipals } from '../auth/authz/affected-principals.ts';
import { createPermissionSignals } from '../auth/permission-signals.ts';
import { createTokenVerifier } from '../auth/token-verifier.ts';
import { createActivityLog } from '../gateway/instance-activity.ts';
import { createInstanceChanges } from '../gateway/instance-changes.ts';
import { TargetLimiters } from '../gateway/target-limiter.ts';
import { versionInfo } from '../http/documents/version.ts';
import { createMetrics } from '../http/metrics/create-metrics.ts';
import type { HealthCheck } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { programVersion } from '../lib/program-version.ts';
import { CloseStack } from '../process/close-stack.ts';
import { describeError } from '../process/private-dir.ts';
import { loadServingTls } from '../process/serving-tls.ts';
import { StartError } from '../process/start-error.ts';
import { serverUrl, startListener } from '../process/start-listener.ts';
import { openSealer } from '../seal/open-sealer.ts';
import { createSealKeyFile, readSealKeyFile } from '../seal/seal-key-file.ts';
import { createAgentAuth } from './agent-auth.ts';
import { openAgentDir } from './agent-dir.ts';
import { agentRouter } from './agent-router.ts';
import { startAnnouncer } from './announcer.ts';
import { auditLogWithOutbox } from './audit-log-with-outbox.ts';
import { openAuditOutbox } from './audit-outbox.ts';
import { CachedPolicy } from './cached-policy.ts';
import { openControlServer } from './control-server.ts';
import { followPolicy } from './follow-policy.ts';
import { openAgentHost } from './open-agent-host.ts';
import type { AgentOptions } from './options.ts';
import { openPolicyFile } from './policy-file.ts';
import { instanceOf } from './policy-replica.ts';
import { reportActivity } from './report-activity.ts';
import { uploadAuditLog } from './upload-audit-log.ts';

export interface RunningAgent {
  readonly url: string;
  close(): Promise<void>;
}

/** Time for in-flight requests to finish. */
const drainMilliseconds = 8_000;
const kinds = { Cluster: clusterKind, Project: projectKind, VirtualClusterInstance: virtualClusterInstanceKind };

/** Starts an agent. It serves with its cached policy at once, whether or not the control server is reachable. */
export async function startAgent(settings: AgentOptions, { clock, log }: { clock: Clock; log: Log }) {
  const closing = new CloseStack(log);
  try {
    return await assemble(settings, clock, log, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function assemble(settings: AgentOptions, clock: Clock, log: Log, closing: CloseStack): Promise<RunningAgent> {
  const dir = await openAgentDir(settings.dataDir);
  const { cluster, apiPrefix } = settings;
  const sealer = openSealer((await readSealKeyFile(dir.sealKey)) ?? (await createSealKeyFile(dir.sealKey)));
  const tls = await loadServingTls(dir, settings, clock, log);
  const outbox = await openAuditOutbox({
    path: dir.auditOutbox,
    onDropped: (lines) =>
      log.error({ lines }, 'dropped audit lines before their upload; they remain only in the audit log of the agent'),
  });
  const auditLog = auditLogWithOutbox(await openAuditLog({ path: dir.auditLog }), outbox);
  closing.add('audit log', () => auditLog.close());

  const permissionSignals = createPermissionSignals(clock);
  closing.add('rights', () => permissionSignals.close());
  const changes = createInstanceChanges();
  const activity = createActivityLog(clock);
  const keyListeners = new Set<(names: Iterable<string>) => void>();
  const policy = new CachedPolicy({
    file: await openPolicyFile({ path: dir.policy, sealer }),
    maxAgeMilliseconds: settings.maxPolicyAge,
    listener: {
      onKeysChanged(names) {
        for (const listener of keyListeners) listener(names);
      },
      onObjectChanged(kind, before, after) {
        permissionSignals.notifyPrincipals(affectedPrincipals(kinds[kind], before?.object, after?.object));
        if (kind !== 'VirtualClusterInstance') return;
        changes.handleChange(instanceOf(before), instanceOf(after));
        if (after === undefined) activity.forget(before?.object.metadata.uid ?? '');
      },
    },
    clock,
    log,
  });
  closing.add('policy', () => policy.close());
  await policy.load().catch((error: unknown) => {
    // The control server sends the full policy again; until then all callers are rejected.
    log.error({ error: String(error) }, 'cannot load the cached policy');
  });

  const server = openControlServer({
    url: settings.management,
    authority: settings.caFile === undefined ? undefined : await readText(settings.caFile, '--ca-file'),
    apiPrefix,
    cluster,
    accessKey: async () => (await readText(settings.accessKeyFile, '--access-key-file')).trim(),
    clock,
  });
  closing.add('server connection', () => server.close());
  let connected = false;
  const secret = randomBytes(32).toString('base64');
  const auth = createAgentAuth({
    replica: policy.replica,
    permissionSignals: permissionSignals,
    isConnected: () => connected,
    server: server,
    hash: (token) => hash('sha256', secret + token, 'base64'),
    onKeysChanged(listener) {
      keyListeners.add(listener);
      return () => keyListeners.delete(listener);
    },
    clock,
  });
  closing.add('authentication', () => auth.close());

  const version = versionInfo({ packageVersion: programVersion });
  const lifecycle = { ending: false };
  const healthChecks = checksOf(policy, lifecycle);
  const tokens = createTokenVerifier(() => policy.replica.signingKeys as unknown as JSONWebKeySet);
  const limiters = new TargetLimiters();
  const host = await openAgentHost({
    settings,
    dir,
    sealer,
    authority: tls.authority,
    version,
    healthChecks,
    rooms: limiters,
    isOwnToken: async (token) => (await tokens.verify(token)) !== undefined,
    clock,
    log,
  });
  closing.add('cluster', () => host.close());

  // Generated at each start, never stored, and sent only to the control server.
  const credential = randomBytes(32).toString('base64url');
  const metrics = createMetrics({
    version,
    storedObjects: () => [],
    gauges: [
      {
        name: 'flotilla_agent_policy_age_seconds',
        help: 'Time since the last contact with the control server.',
        value: () => (policy.age ?? Number.NaN) / 1000,
      },
      {
        name: 'flotilla_agent_clock_skew_seconds',
        help: 'Difference between the clock of the control server and the clock of the agent.',
        value: () => policy.skew / 1000,
      },
    ],
  });
  const listener = await startListener({
    ...settings.listen,
    log,
    tls: tls.pair,
    handler: agentRouter({
      apiPrefix,
      cluster,
      host,
      policy,
      auth: auth,
      tokens,
      limiters: limiters,
      activity,
      changes,
      isControlServer: (token) => isSame(token, credential),
      auditLog,
      version,
      healthChecks,
      metrics,
      clock,
      log,
    }),
  });
  closing.add('listener', () => listener.drain(drainMilliseconds));
  closing.add(
    'certificate',
    tls.follow((pair) => listener.updateTls(pair.cert, pair.key)),
  );

  const url = settings.externalUrl ?? serverUrl(settings.listen.host, listener.port);
  const announcement = { url, authority: tls.authority ?? '', credential, host: host.kind, version: programVersion };
  const stopping = new AbortController();
  const { signal } = stopping;
  const announcing = startAnnouncer({ server: server, announcement: announcement, clock, log }, signal);
  const work = [
    announcing.done,
    followPolicy(
      {
        server: server,
        onLine(line) {
          policy.receive(line);
          auth.onPolicyReceived();
        },
        onSynced() {
          connected = true;
          announcing.onConnected();
          log.info({ server: settings.management }, 'connected to the server');
        },
        onLost() {
          connected = false;
        },
        clock,
        log,
      },
      signal,
    ),
    uploadAuditLog({ outbox, server: server, clock, log }, signal),
    reportActivity({ activity, server: server, instances: () => policy.replica.instances(), clock }, signal),
  ];
  closing.add('server communication', async () => {
    stopping.abort(new Error('the agent is shutting down'));
    await Promise.all(work);
  });
  log.info({ url, cluster, dataDir: dir.path, version: programVersion }, 'serving');
  return {
    url,
    async close() {
      lifecycle.ending = true;
      await closing.close();
    },
  };
}

function checksOf(policy: CachedPolicy, lifecycle: { readonly ending: boolean }): HealthCheck[] {
  return [
    {
      name: 'policy',
      on: ['readyz'],
      check() {
        if (!policy.isUsable) throw new Error('the cached policy is too old');
      },
    },
    {
      name: 'shutdown',
      on: ['readyz'],
      check() {
        if (lifecycle.ending) throw new Error('the agent is shutting down');
      },
    },
  ];
}

async function readText(path: string, flag: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    throw new StartError(`${flag}: cannot read ${path}: ${describeError(error)}`, { cause: error });
  });
}

function isSame(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
