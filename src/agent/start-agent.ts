import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet } from 'jose';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { typedObject } from '../api/resource.ts';
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
import { reportActivity } from './report-activity.ts';

export interface RunningAgent {
  readonly url: string;
  close(): Promise<void>;
}

/** Requests at work may take so long to finish. */
const drainMilliseconds = 8_000;
const kinds = { Cluster: clusterKind, Project: projectKind, VirtualClusterInstance: virtualClusterInstanceKind };

/** Starts an agent. It serves by what it knows at once, whether the centre can be reached or not. */
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
    onDropped: (lines) => log.error({ lines }, 'audit lines that nobody took over stand in the log of the agent only'),
  });
  const auditLog = handedOverLog(await openAuditLog({ path: dir.auditLog }), outbox);
  closing.add('audit log', () => auditLog.close());

  const rights = createRightsSignals(clock);
  closing.add('rights', () => rights.close());
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
        rights.changed(affectedBy(kinds[kind], before, after));
        if (kind !== 'VirtualClusterInstance') return;
        changes.changed(asInstance(before), asInstance(after));
        if (after === undefined) activity.forget(before?.metadata.uid ?? '');
      },
    },
    clock,
    log,
  });
  closing.add('policy', () => policy.close());
  await policy.load().catch((error: unknown) => {
    // The centre tells everything anew; until it does, nobody is let in.
    log.error({ error: String(error) }, 'what the centre told before cannot be read');
  });

  const centre = openCentre({
    url: settings.management,
    authority: settings.caFile === undefined ? undefined : await readText(settings.caFile, '--ca-file'),
    apiPrefix,
    cluster,
    accessKey: async () => (await readText(settings.accessKeyFile, '--access-key-file')).trim(),
    clock,
  });
  closing.add('centre', () => centre.close());
  let connected = false;
  const secret = randomBytes(32).toString('base64');
  const door = createAgentDoor({
    replica: policy.replica,
    rights,
    isConnected: () => connected,
    centre,
    hash: (token) => hash('sha256', secret + token, 'base64'),
    onKeys(listener) {
      keyListeners.add(listener);
      return () => keyListeners.delete(listener);
    },
    clock,
  });
  closing.add('door', () => door.close());

  const version = versionInfo({ packageVersion: programVersion });
  const lifecycle = { ending: false };
  const healthChecks = checksOf(policy, lifecycle);
  const tokens = createVerifiedTokens(() => policy.replica.signingKeys as unknown as JSONWebKeySet);
  const rooms = new TargetRooms();
  const host = await openAgentHost({
    settings,
    dir,
    sealer,
    authority: tls.authority,
    version,
    healthChecks,
    rooms,
    isOwnToken: async (token) => (await tokens.verify(token)) !== undefined,
    clock,
    log,
  });
  closing.add('cluster', () => host.close());

  // Made anew at each start, kept nowhere, and told to the centre alone.
  const credential = randomBytes(32).toString('base64url');
  const metrics = createMetrics({
    version,
    storedObjects: () => [],
    gauges: [
      {
        name: 'flotilla_agent_policy_age_seconds',
        help: 'Time since the central server was last heard.',
        value: () => (policy.age ?? Number.NaN) / 1000,
      },
      {
        name: 'flotilla_agent_clock_skew_seconds',
        help: 'How far the clock of the central server is ahead.',
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
      door,
      tokens,
      rooms,
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
  const told = { url, authority: tls.authority ?? '', credential, host: host.kind, version: programVersion };
  const stopping = new AbortController();
  const { signal } = stopping;
  const announcing = startAnnouncing({ centre, told, clock, log }, signal);
  const work = [
    announcing.done,
    followPolicy(
      {
        centre,
        take(line) {
          policy.heard(line);
          door.heard();
        },
        onSynced() {
          connected = true;
          announcing.met();
          log.info({ centre: settings.management }, 'the centre is heard');
        },
        onLost() {
          connected = false;
        },
        clock,
        log,
      },
      signal,
    ),
    handOverAudit({ outbox, centre, clock, log }, signal),
    reportActivity({ activity, centre, instances: () => policy.replica.instances(), clock }, signal),
  ];
  closing.add('work for the centre', async () => {
    stopping.abort(new Error('the agent is ending'));
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

function asInstance(object: KubeObject | undefined): VirtualClusterInstance | undefined {
  return object && typedObject(virtualClusterInstanceKind, object);
}

function checksOf(policy: KnownPolicy, lifecycle: { readonly ending: boolean }): HealthCheck[] {
  return [
    {
      name: 'policy',
      on: ['readyz'],
      check() {
        if (!policy.usable) throw new Error('what the centre told is too old');
      },
    },
    {
      name: 'shutdown',
      on: ['readyz'],
      check() {
        if (lifecycle.ending) throw new Error('the agent is ending');
      },
    },
  ];
}

async function readText(path: string, flag: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    throw new StartError(`${flag}: ${path} cannot be read: ${describe(error)}`, { cause: error });
  });
}

function isSame(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
