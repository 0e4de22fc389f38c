import type { ClusterAgent } from '../../api/management/v1/cluster-agent.ts';
import { timestamp } from '../../api/meta.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Tunnels } from '../tunnels/tunnels.ts';
import type { AgentEntry, AgentStatus } from './agent-status.ts';

export interface AgentHealthOptions {
  readonly status: AgentStatus;
  readonly tunnels: Pick<Tunnels, 'ofAgent'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The facts that an agent announces about itself. */
export type AnnouncedFacts = Pick<ClusterAgent, 'version' | 'upgradeAvailable' | 'hostname' | 'readOnly' | 'release'>;

/** The status of a connected agent is written at this interval. */
const intervalMs = 5 * 60_000;
/** The minimum time between two writes for one agent. An agent that reconnects all the time causes no more writes. */
const minimumIntervalMs = 10_000;

interface ConnectedAgent extends AgentEntry {
  /** The number of open policy feeds. It is more than one while an agent reconnects. */
  feeds: number;
  /** The time at which the last feed ended, in milliseconds since the epoch. */
  lastSeen: number;
  /** The time of the last write, on the monotonic clock. */
  writtenAt: number | undefined;
  cancel: () => void;
}

/**
 * Writes to the status of each cluster when its agents were last connected, their round trip times and throughput. For each
 * agent, the replica that serves its policy feed writes.
 */
export class AgentHealth {
  readonly #options: AgentHealthOptions;
  readonly #agents = new Map<string, ConnectedAgent>();
  #isClosed = false;

  constructor(options: AgentHealthOptions) {
    this.#options = options;
  }

  /** Returns the lines of a policy feed. The agent is connected until they end. */
  async *whileConnected<Line>(entry: AgentEntry, lines: AsyncIterable<Line>): AsyncGenerator<Line, void, undefined> {
    const agent = this.#agent(entry);
    agent.feeds++;
    this.#schedule(agent, 0);
    try {
      yield* lines;
    } finally {
      agent.feeds--;
      agent.lastSeen = this.#options.clock.now();
      this.#schedule(agent, 0);
    }
  }

  /** Shows what an agent has announced. */
  async announced(entry: AgentEntry, facts: AnnouncedFacts): Promise<void> {
    await this.#options.status.merge(entry, {
      version: undefined,
      upgradeAvailable: undefined,
      hostname: undefined,
      readOnly: undefined,
      release: undefined,
      ...facts,
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const { cancel } of this.#agents.values()) cancel();
  }

  #agent({ cluster, agent }: AgentEntry): ConnectedAgent {
    const key = `${cluster} ${agent}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const created: ConnectedAgent = {
      cluster,
      agent,
      feeds: 0,
      lastSeen: this.#options.clock.now(),
      writtenAt: undefined,
      cancel: () => {},
    };
    this.#agents.set(key, created);
    return created;
  }

  #schedule(agent: ConnectedAgent, milliseconds: number): void {
    agent.cancel();
    if (this.#isClosed) return;
    const { clock } = this.#options;
    const earliest = agent.writtenAt === undefined ? 0 : agent.writtenAt + minimumIntervalMs - clock.elapsed();
    agent.cancel = clock.after(Math.max(milliseconds, earliest), () => void this.#write(agent));
  }

  async #write(agent: ConnectedAgent): Promise<void> {
    const { status, tunnels, clock, log } = this.#options;
    agent.writtenAt = clock.elapsed();
    const isConnected = agent.feeds > 0;
    const key = `${agent.cluster} ${agent.agent}`;
    if (isConnected) this.#schedule(agent, intervalMs);
    else if (this.#agents.get(key) === agent) this.#agents.delete(key);
    const open = tunnels.ofAgent(agent.cluster, agent.agent);
    const times = open.flatMap(({ roundTripMilliseconds }) => roundTripMilliseconds ?? []);
    const rates = open.flatMap(({ peakBytesPerSecond }) => peakBytesPerSecond ?? []);
    try {
      await status.merge(agent, {
        connected: isConnected,
        lastSeen: timestamp(isConnected ? clock.now() : agent.lastSeen),
        roundTripMilliseconds: times.length === 0 ? undefined : Math.ceil(Math.min(...times)),
        // A measured throughput stays until a tunnel measures another one.
        ...(rates.length === 0 ? {} : { kilobytesPerSecond: Math.ceil(Math.max(...rates) / 1000) }),
      });
    } catch (error) {
      const { cluster } = agent;
      if (!this.#isClosed) log.warn({ cluster, error: String(error) }, 'cannot write the status of an agent');
    }
  }
}
