import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet } from 'jose';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { affectedBy } from '../auth/authz/affected-by.ts';
import { createRightsSignals } from '../auth/rights-signals.ts';
import { createVerifiedTokens } from '../auth/verified-tokens.ts';
import { createActivityLog } from '../gateway/instance-activity.ts';
import { createInstanceChanges } from '../gateway/instance-changes.ts';
import { TargetRooms } from '../gateway/target-room.ts';
import { createMetrics } from '../http/metrics/create-metrics.ts';
import type { HealthCheck } from '../http/plane.ts';
import { versionInfo } from '../http/version.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { programVersion } from '../lib/program-version.ts';
import { Closing } from '../process/closing.ts';
import { listenOrExplain, urlOf } from '../process/listen-or-explain.ts';
import { describe } from '../process/private-dir.ts';
import { loadServingTls } from '../process/serving-tls.ts';
import { StartError } from '../process/start-error.ts';
import { openSealer } from '../seal/open-sealer.ts';
import { createSealKeyFile, readSealKeyFile } from '../seal/seal-key-file.ts';
import { agentAddressSpace } from './agent-address-space.ts';
import { openAgentDir } from './agent-dir.ts';
import { createAgentDoor } from './agent-door.ts';
import { startAnnouncing } from './announce.ts';
import { openAuditOutbox } from './audit-outbox.ts';
import { openCentre } from './centre.ts';
import { followPolicy } from './follow-policy.ts';
import { handOverAudit } from './hand-over-audit.ts';
import { handedOverLog } from './handed-over-log.ts';
import { KnownPolicy } from './known-policy.ts';
import { openAgentHost } from './open-agent-host.ts';
import type { AgentOptions } from './options.ts';
import { openPolicyFile } from './policy-file.ts';
import { instanceOf } from './policy-replica.ts';
import { reportActivity } from './report-activity.ts';

export interface RunningAgent {
  readonly url: string;
  close(): Promise<void>;
}

/** Time for in-flight requests to finish. */
const drainMilliseconds = 8_000;
const kinds = { Cluster: clusterKind, Project: projectKind, VirtualClusterInstance: virtualClusterInstanceKind };

/** Starts an agent. It serves with its cached policy at once, whether or not the control server is reachable. */
export async function startAgent(settings: AgentOptions, { clock, log }: { clock: Clock; log: Log }) {
  const closing = new Closing(log);
  try {
    return await assemble(settings, clock, log, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function assemble(settings: AgentOptions, clock: Clock, log: Log, closing: Closing): Promise<RunningAgent> {
  const dir = await openAgentDir(settings.dataDir);
  const { cluster, apiPrefix } = settings;
  const sealer = openSealer((await readSealKeyFile(dir.sealKey)) ?? (await createSealKeyFile(dir.sealKey)));
  const tls = await loadServingTls(dir, settings, clock, log);
  const outbox = await openAuditOutbox({
    path: dir.auditOutbox,
    onDropped: (lines) =>
      log.error({ lines }, 'dropped audit lines before their upload; they remain only in the audit log of the agent'),
  });
  const auditLog = handedOverLog(await openAuditLog({ path: dir.auditLog }), outbox);
  closing.add('audit log', () => auditLog.close());

  const permissionSignals = createRightsSignals(clock);
  closing.add('rights', () => permissionSignals.close());
  const changes = createInstanceChanges();
  const activity = createActivityLog(clock);
  const keyListeners = new Set<(names: Iterable<string>) => void>();
  const policy = new KnownPolicy({
    file: await openPolicyFile({ path: dir.policy, sealer }),
    maxAgeMilliseconds: settings.maxPolicyAge,
    listener: {
      onKeys(names) {
        for (const listener of keyListeners) listener(names);
      },
      onObject(kind, before, after) {
        permissionSignals.changed(affectedBy(kinds[kind], before?.object, after?.object));
        if (kind !== 'VirtualClusterInstance') return;
        changes.changed(instanceOf(before), instanceOf(after));
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

  const server = openCentre({
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
  const auth = createAgentDoor({
    replica: policy.replica,
    rights: permissionSignals,
    isConnected: () => connected,
    centre: server,
    hash: (token) => hash('sha256', secret + token, 'base64'),
    onKeys(listener) {
      keyListeners.add(listener);
      return () => keyListeners.delete(listener);
    },
    clock,
  });
  closing.add('authentication', () => auth.close());

  const version = versionInfo({ packageVersion: programVersion });
  const lifecycle = { ending: false };
  const healthChecks = checksOf(policy, lifecycle);
  const tokens = createVerifiedTokens(() => policy.replica.signingKeys as unknown as JSONWebKeySet);
  const limiters = new TargetRooms();
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
  const listener = await listenOrExplain({
    ...settings.listen,
    log,
    tls: tls.pair,
    handler: agentAddressSpace({
      apiPrefix,
      cluster,
      host,
      policy,
      door: auth,
      tokens,
      rooms: limiters,
      activity,
      changes,
      isCentre: (token) => isSame(token, credential),
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

  const url = settings.externalUrl ?? urlOf(settings.listen.host, listener.port);
  const announcement = { url, authority: tls.authority ?? '', credential, host: host.kind, version: programVersion };
  const stopping = new AbortController();
  const { signal } = stopping;
  const announcing = startAnnouncing({ centre: server, told: announcement, clock, log }, signal);
  const work = [
    announcing.done,
    followPolicy(
      {
        centre: server,
        take(line) {
          policy.heard(line);
          auth.heard();
        },
        onSynced() {
          connected = true;
          announcing.met();
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
    handOverAudit({ outbox, centre: server, clock, log }, signal),
    reportActivity({ activity, centre: server, instances: () => policy.replica.instances(), clock }, signal),
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

function checksOf(policy: KnownPolicy, lifecycle: { readonly ending: boolean }): HealthCheck[] {
  return [
    {
      name: 'policy',
      on: ['readyz'],
      check() {
        if (!policy.usable) throw new Error('the cached policy is too old');
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
    throw new StartError(`${flag}: cannot read ${path}: ${describe(error)}`, { cause: error });
  });
}

function isSame(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
