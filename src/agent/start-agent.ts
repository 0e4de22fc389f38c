import { availableParallelism, hostname } from 'node:os';
import type { JSONWebKeySet } from 'jose';
import type { AgentAnnouncement } from '../api/agent/policy-feed.ts';
import { createTokenVerifier } from '../auth/token-verifier.ts';
import { defaultWorkerLimits } from '../builtin/workers/default-limits.ts';
import { TargetLimiters } from '../gateway/forward/target-limiter.ts';
import type { VersionInfo } from '../http/documents/version.ts';
import { createMetrics, type Metrics } from '../http/metrics/create-metrics.ts';
import type { HealthCheck } from '../http/plane.ts';
import { programVersion } from '../lib/program-version.ts';
import { CloseStack } from '../process/close-stack.ts';
import { serverUrl, startListener } from '../process/start-listener.ts';
import { type AgentContext, type AgentEnvironment, openAgentContext } from './agent-context.ts';
import { agentRouter } from './agent-router.ts';
import type { BuiltInAgentHostOptions } from './built-in-agent-host.ts';
import { openAgentHost } from './open-agent-host.ts';
import { openServerLink } from './open-server-link.ts';
import type { AgentOptions } from './options.ts';
import type { CachedPolicy } from './policy/cached-policy.ts';
import { openAgentPolicy } from './policy/open-agent-policy.ts';
import { ServerCredentials } from './tunnel/server-credentials.ts';

export interface RunningAgent {
  readonly url: string;
  close(): Promise<void>;
}

/** The time that in-flight requests have to finish on shutdown, in milliseconds. */
const drainMilliseconds = 8_000;

/** Starts an agent. It serves immediately with its cached policy, even if the control server is unreachable. */
export async function startAgent(settings: AgentOptions, environment: Omit<AgentEnvironment, 'closing'>) {
  const closing = new CloseStack(environment.log);
  try {
    const agent = await openAgentContext(settings, { ...environment, closing });
    return await serve(agent);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function serve(agent: AgentContext): Promise<RunningAgent> {
  const { settings, clock, log, closing, dir, tls, version } = agent;
  const { cluster, apiPrefix } = settings;
  const agentPolicy = await openAgentPolicy(agent);
  const { policy, changes, spaceChanges, activity } = agentPolicy;
  const link = await openServerLink(agent, agentPolicy);
  const healthChecks = checksOf(policy, agent);
  const tokens = createTokenVerifier(() => policy.replica.signingKeys as unknown as JSONWebKeySet);
  const limiters = new TargetLimiters();
  const host = await openAgentHost({
    settings,
    dir,
    authority: tls.authority,
    version,
    healthChecks,
    limiters: limiters,
    isOwnToken: async (token) => (await tokens.verify(token)) !== undefined,
    ...workersOf(agent),
    clock,
    log,
  });
  closing.add('cluster', () => host.close());

  const { usesTunnel: isTunneled } = settings;
  const credentials = new ServerCredentials();
  const metrics = agentMetrics(version, policy);
  const routerFor = (isControlServer: (token: string) => boolean) =>
    agentRouter({
      apiPrefix,
      cluster,
      host,
      policy,
      auth: link.auth,
      tokens,
      limiters,
      activity,
      changes,
      spaceChanges,
      isControlServer,
      auditLog: agent.auditLog,
      version,
      healthChecks,
      metrics,
      clock,
      log,
    });
  const listener = await startListener({
    ...settings.listen,
    log,
    tls: tls.pair,
    // An agent with a tunnel accepts the shared credential only in its own tunnels, because all agents of the cluster
    // have this credential. Otherwise anyone with the key of one agent could send requests to another agent as the
    // server.
    handler: routerFor((token) => !isTunneled && credentials.includes(token)),
    acceptedHandler: routerFor((token) => credentials.includes(token)),
  });
  closing.add('listener', () => listener.drain(drainMilliseconds));
  closing.add(
    'certificate',
    tls.follow((pair) => listener.updateTls(pair.cert, pair.key)),
  );

  const url = settings.externalUrl ?? serverUrl(settings.listen.host, listener.port);
  link.start({
    announcement: announcementOf(agent, { url, credential: credentials.own, host: host.kind }),
    onAnnounced: ({ credential }) => credentials.share(credential),
    accept: (connection) => listener.accept(connection),
    ...(host.uid === undefined ? {} : { clusterUid: host.uid }),
  });
  log.info({ url, cluster, dataDir: dir.path, version: programVersion }, 'serving');
  return {
    url,
    async close() {
      agent.lifecycle.ending = true;
      await closing.close();
    },
  };
}

/** Returns the announcement with which the agent describes itself to the control server. */
function announcementOf(
  { settings, tls }: AgentContext,
  { url, credential, host }: Pick<AgentAnnouncement, 'url' | 'credential' | 'host'>,
): AgentAnnouncement {
  const { usesTunnel: isTunneled, readOnly, release } = settings;
  return {
    url: isTunneled && settings.externalUrl === undefined ? '' : url,
    authority: tls.authority ?? '',
    credential,
    sharesCredential: true,
    isTunneled,
    host,
    version: programVersion,
    hostname: hostname(),
    readOnly,
    ...(release === undefined ? {} : { release }),
  };
}

function agentMetrics(version: VersionInfo, policy: CachedPolicy): Metrics {
  return createMetrics({
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
}

function checksOf(policy: CachedPolicy, { lifecycle }: AgentContext): HealthCheck[] {
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

/**
 * Returns the settings of the worker threads that run virtual clusters, or no settings if virtual clusters run on this
 * thread.
 */
function workersOf({ settings, startPlaneThread }: AgentContext): Pick<BuiltInAgentHostOptions, 'workers'> {
  const { planeWorkers: count = availableParallelism() } = settings;
  if (startPlaneThread === undefined || count === 0) return {};
  const { stallSeconds } = defaultWorkerLimits;
  return { workers: { count, stallSeconds, startThread: startPlaneThread } };
}
