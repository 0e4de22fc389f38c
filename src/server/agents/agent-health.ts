import type { ClusterAgent } from '../../api/management/v1/cluster-agent.ts';
import { timestamp } from '../../api/meta.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Tunnels } from '../tunnels/tunnels.ts';
import type { AgentChanges, AgentEntry, AgentStatus } from './agent-status.ts';

export interface AgentHealthOptions {
  readonly status: AgentStatus;
  readonly tunnels: Pick<Tunnels, 'ofAgent'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The facts that an agent announces about itself, and the measurements that become outdated with an announcement and
 * are removed.
 */
export type AnnouncedFacts = Pick<
  AgentChanges,
  'version' | 'upgradeAvailable' | 'hostname' | 'readOnly' | 'release' | 'roundTripMilliseconds' | 'kilobytesPerSecond'
>;

/** The status of a connected agent is written at this interval. */
const intervalMs = 5 * 60_000;
/**
 * The minimum time between two writes for one agent, so that an agent that reconnects continually does not cause more
 * writes.
 */
const minimumIntervalMs = 10_000;

interface ConnectedAgent extends AgentEntry {
  /** The number of open policy feeds. It is more than one while an agent reconnects. */
  feeds: number;
  /** True from the end of the last feed until the status shows that the agent is disconnected. */
  hasEnded: boolean;
  /**
   * `openedAt` is the time at which a feed was last opened, `lastSeen` the time at which the last feed ended. Both are
   * in milliseconds since the epoch.
   */
  openedAt: number;
  lastSeen: number;
  /** The values that this replica has written last. */
  shownSeen: string | undefined;
  shownRoundTrip: number | undefined;
  /** The time of the last write, on the monotonic clock. */
  writtenAt: number | undefined;
  cancel: () => void;
}

/**
 * Writes the health of agents to the status of their clusters: when they were last connected, their round trip times
 * and their throughput. The policy feed and the tunnels of an agent can end at different replicas. The replica that
 * serves the feed writes whether the agent is connected, and each replica with tunnels writes what it measures.
 */
export class AgentHealth {
  readonly #options: AgentHealthOptions;
  readonly #agents = new Map<string, ConnectedAgent>();
  #isClosed = false;

  constructor(options: AgentHealthOptions) {
    this.#options = options;
  }

  /** Returns the lines of a policy feed unchanged. The agent counts as connected until the lines end. */
  async *whileConnected<Line>(entry: AgentEntry, lines: AsyncIterable<Line>): AsyncGenerator<Line, void, undefined> {
    const agent = this.#agent(entry);
    agent.feeds++;
    agent.openedAt = this.#options.clock.now();
    this.#schedule(agent, 0);
    try {
      yield* lines;
    } finally {
      agent.feeds--;
      agent.hasEnded = agent.feeds === 0;
      agent.lastSeen = this.#options.clock.now();
      this.#schedule(agent, 0);
    }
  }

  /** Writes the measurements of an agent's tunnels to the status soon, if the status does not contain them yet. */
  measured(entry: AgentEntry): void {
    const shown = this.#options.status.of(entry.cluster).find(({ name }) => name === entry.agent);
    const isNew = Object.keys(this.#measurements(entry)).some((field) => shown === undefined || !(field in shown));
    const isScheduled = this.#agents.has(keyOf(entry));
    const agent = this.#agent(entry);
    if (isNew) this.#schedule(agent, 0);
    else if (!isScheduled) this.#schedule(agent, intervalMs);
  }

  /** Writes the facts that an agent announces to the status. */
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

  #agent(entry: AgentEntry): ConnectedAgent {
    const key = keyOf(entry);
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const now = this.#options.clock.now();
    const created: ConnectedAgent = {
      ...entry,
      feeds: 0,
      hasEnded: false,
      openedAt: now,
      lastSeen: now,
      shownSeen: undefined,
      shownRoundTrip: undefined,
      writtenAt: undefined,
      cancel: () => {},
    };
    this.#agents.set(key, created);
    return created;
  }

  /**
   * Returns the measurements of the agent's tunnels to this replica. A measured throughput is kept until there is a
   * newer one.
   */
  #measurements({ cluster, agent }: AgentEntry): AgentChanges {
    const open = this.#options.tunnels.ofAgent(cluster, agent);
    const times = open.flatMap(({ roundTripMilliseconds }) => roundTripMilliseconds ?? []);
    const rates = open.flatMap(({ peakBytesPerSecond }) => peakBytesPerSecond ?? []);
    return {
      ...(times.length === 0 ? {} : { roundTripMilliseconds: Math.ceil(Math.min(...times)) }),
      ...(rates.length === 0 ? {} : { kilobytesPerSecond: Math.ceil(Math.max(...rates) / 1000) }),
    };
  }

  #schedule(agent: ConnectedAgent, milliseconds: number): void {
    agent.cancel();
    if (this.#isClosed) return;
    const { clock } = this.#options;
    const earliest = agent.writtenAt === undefined ? 0 : agent.writtenAt + minimumIntervalMs - clock.elapsed();
    agent.cancel = clock.after(Math.max(milliseconds, earliest), () => void this.#write(agent));
  }

  async #write(agent: ConnectedAgent): Promise<void> {
    const { status, clock, log } = this.#options;
    agent.writtenAt = clock.elapsed();
    const { hasEnded, lastSeen } = agent;
    const isConnected = agent.feeds > 0;
    agent.hasEnded = false;
    const measurements = this.#measurements(agent);
    const before = agent.shownRoundTrip;
    agent.shownRoundTrip = measurements.roundTripMilliseconds;
    if (isConnected || agent.shownRoundTrip !== undefined) this.#schedule(agent, intervalMs);
    else if (this.#agents.get(keyOf(agent)) === agent) this.#agents.delete(keyOf(agent));
    try {
      await status.merge(agent, (entry) => {
        // The tunnels to this replica have closed, so its round trip time is outdated. Another replica with tunnels
        // writes the round trip time again.
        const isOutdated = before !== undefined && entry.roundTripMilliseconds === before;
        const measured = { ...(isOutdated ? { roundTripMilliseconds: undefined } : {}), ...measurements };
        if (isConnected) {
          agent.shownSeen = timestamp(clock.now());
          return { connected: true, lastSeen: agent.shownSeen, ...measured };
        }
        if (!hasEnded || isSeenElsewhere(entry, agent)) return measured;
        return { connected: false, lastSeen: timestamp(lastSeen), roundTripMilliseconds: undefined, ...measured };
      });
    } catch (error) {
      const { cluster } = agent;
      if (!this.#isClosed) log.warn({ cluster, error: String(error) }, 'cannot write the status of an agent');
    }
  }
}

const keyOf = ({ cluster, agent }: AgentEntry) => `${cluster} ${agent}`;

/**
 * True if another replica has served a feed of the agent more recently than this replica. The agent may then still be
 * connected although the feed of this replica has ended.
 */
function isSeenElsewhere({ connected, lastSeen = '' }: ClusterAgent, { shownSeen, openedAt }: ConnectedAgent): boolean {
  if (connected !== true || lastSeen === shownSeen) return false;
  // Timestamps have no milliseconds.
  return Date.parse(lastSeen) >= Date.parse(timestamp(openedAt));
}
