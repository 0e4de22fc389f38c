import { compareVersions } from '../../api/management/template-version.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { timestamp } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { programVersion } from '../../lib/program-version.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { Tunnels } from '../tunnels/tunnels.ts';

export interface AgentHealthOptions {
  readonly kinds: KindStores;
  readonly tunnels: Pick<Tunnels, 'of'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The status of a connected agent is written at this interval. */
const intervalMs = 5 * 60_000;
/** The minimum time between two writes for one cluster. An agent that reconnects all the time causes no more writes. */
const minimumIntervalMs = 10_000;
/** An agent that sends another text as its version has no version. */
const versionFormat = /^\d{1,9}\.\d{1,9}\.\d{1,9}([-+][0-9A-Za-z.+-]{1,64})?$/;

interface ConnectedAgent {
  /** The number of open policy feeds. It is more than one while an agent reconnects. */
  feeds: number;
  version: string | undefined;
  /** The time at which the last feed ended, in milliseconds since the epoch. */
  lastSeen: number;
  /** The time of the last write, on the monotonic clock. */
  writtenAt: number | undefined;
  cancel: () => void;
}

/**
 * Shows in the status of each cluster when its agent was connected last, its version and the round trip time. The replica to
 * which the policy feed of the agent is connected writes.
 */
export class AgentHealth {
  readonly #options: AgentHealthOptions;
  readonly #agents = new Map<string, ConnectedAgent>();
  #isClosed = false;

  constructor(options: AgentHealthOptions) {
    this.#options = options;
  }

  /** Returns the lines of a policy feed. The agent is connected until they end. */
  async *whileConnected<Line>(cluster: string, lines: AsyncIterable<Line>): AsyncGenerator<Line, void, undefined> {
    const agent = this.#agent(cluster);
    agent.feeds++;
    this.#schedule(cluster, agent, 0);
    try {
      yield* lines;
    } finally {
      agent.feeds--;
      agent.lastSeen = this.#options.clock.now();
      this.#schedule(cluster, agent, 0);
    }
  }

  /** Must be called when an agent announces its version. */
  announced(cluster: string, version: string): void {
    const agent = this.#agent(cluster);
    const known = versionFormat.test(version) ? version : undefined;
    if (agent.version === known) return;
    agent.version = known;
    this.#schedule(cluster, agent, 0);
  }

  close(): void {
    this.#isClosed = true;
    for (const { cancel } of this.#agents.values()) cancel();
  }

  #agent(cluster: string): ConnectedAgent {
    const known = this.#agents.get(cluster);
    if (known !== undefined) return known;
    const created: ConnectedAgent = {
      feeds: 0,
      version: undefined,
      lastSeen: this.#options.clock.now(),
      writtenAt: undefined,
      cancel: () => {},
    };
    this.#agents.set(cluster, created);
    return created;
  }

  #schedule(cluster: string, agent: ConnectedAgent, milliseconds: number): void {
    agent.cancel();
    if (this.#isClosed) return;
    const { clock } = this.#options;
    const earliest = agent.writtenAt === undefined ? 0 : agent.writtenAt + minimumIntervalMs - clock.elapsed();
    agent.cancel = clock.after(Math.max(milliseconds, earliest), () => void this.#write(cluster, agent));
  }

  async #write(cluster: string, agent: ConnectedAgent): Promise<void> {
    const { kinds, tunnels, clock, log } = this.#options;
    agent.writtenAt = clock.elapsed();
    const isConnected = agent.feeds > 0;
    if (isConnected) this.#schedule(cluster, agent, intervalMs);
    else if (this.#agents.get(cluster) === agent) this.#agents.delete(cluster);
    const { version } = agent;
    const times = tunnels.of(cluster).flatMap(({ roundTripMilliseconds }) => roundTripMilliseconds ?? []);
    const status = {
      connected: isConnected,
      lastSeen: timestamp(isConnected ? clock.now() : agent.lastSeen),
      roundTripMilliseconds: times.length === 0 ? null : Math.ceil(Math.min(...times)),
      ...(version === undefined
        ? {}
        : { version, upgradeAvailable: compareVersions(version, programVersion) < 0 ? programVersion : null }),
    };
    const clusters = storeOf(kinds, clusterKind);
    const { uid = '' } = clusters.peek('', cluster)?.object.metadata ?? {};
    try {
      await clusters.status?.patch(
        systemContext(''),
        cluster,
        { type: 'merge', document: { metadata: { uid }, status: { agent: status } }, findings: [] },
        { dryRun: false, fieldManager: 'flotilla-agent', fieldValidation: 'Ignore', force: false },
      );
    } catch (error) {
      // 404 and 409: the cluster was deleted. The status is written again after the interval.
      if (error instanceof StatusError && (error.code === 404 || error.code === 409)) return;
      if (!this.#isClosed) log.warn({ cluster, error: String(error) }, 'cannot write the status of an agent');
    }
  }
}
