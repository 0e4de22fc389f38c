import type { ClusterTunnel } from '../../hosts/kubernetes/reach/host-connection.ts';
import { NoResponseError } from '../../hosts/kubernetes/reach/no-response.ts';
import type { Clock } from '../../lib/clock.ts';
import { lazyValue } from '../../lib/lazy-value.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { Tunnel } from '../../tunnel/open-tunnel.ts';
import type { TunnelSocket } from '../../tunnel/tunnel-socket.ts';
import { createBridgeTls } from './create-bridge-tls.ts';

/**
 * Opens a connection to the agent of a cluster through another server. Resolves with `undefined` if no other server has
 * a tunnel.
 */
export type ConnectThroughPeers = (cluster: string, signal: AbortSignal) => Promise<TunnelSocket | undefined>;

/**
 * The maximum time for all attempts to open one connection. An attempt in a tunnel whose agent does not respond takes
 * ten seconds, and a cluster can have many tunnels. The time suffices for two attempts that take ten seconds and a
 * third attempt that succeeds.
 */
const connectMilliseconds = 30_000;

/** The tunnels that agents have opened to this server. An agent has several, and a cluster can have several agents. */
export class Tunnels {
  /** The tunnels of each cluster, with the names of the access keys of their agents. */
  readonly #byCluster = new Map<string, Map<Tunnel, string>>();
  /** The functions to call each time an agent of the cluster opens a tunnel. */
  readonly #onOpened = new Map<string, Set<() => void>>();
  /** The tunnels in which the last attempt to open a connection failed. */
  readonly #failing = new WeakSet<Tunnel>();
  readonly #clock: Clock;
  /** The certificate that all bridges of this process share. */
  readonly #bridgeTls = lazyValue(createBridgeTls);
  /** Connects through the other servers that share the store. Set when this server can reach them. */
  throughPeers: ConnectThroughPeers | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Adds a tunnel for connections to the cluster, until the tunnel closes. `agent` is the name of the access key of the
   * agent.
   */
  add(cluster: string, tunnel: Tunnel, agent = ''): void {
    const tunnels = this.#byCluster.get(cluster) ?? new Map();
    this.#byCluster.set(cluster, tunnels.set(tunnel, agent));
    void tunnel.closed.then(() => {
      tunnels.delete(tunnel);
      if (tunnels.size === 0 && this.#byCluster.get(cluster) === tunnels) this.#byCluster.delete(cluster);
    });
    for (const listener of [...(this.#onOpened.get(cluster) ?? [])]) listener();
  }

  /**
   * Returns the number of tunnels of a cluster, including closing tunnels that wait for the end of their connections.
   */
  count(cluster: string): number {
    return this.#byCluster.get(cluster)?.size ?? 0;
  }

  /** Returns the open tunnels of a cluster. */
  of(cluster: string): Tunnel[] {
    return [...(this.#byCluster.get(cluster)?.keys() ?? [])].filter(({ isOpen }) => isOpen);
  }

  /** Returns the open tunnels of one agent. */
  ofAgent(cluster: string, agent: string): Tunnel[] {
    const tunnels = this.#byCluster.get(cluster);
    return this.of(cluster).filter((tunnel) => tunnels?.get(tunnel) === agent);
  }

  /**
   * Opens a connection to the agent of a cluster, in the tunnel with the fewest connections. Tunnels in which the last
   * attempt failed are used last, because otherwise each connection would first wait for an agent that does not
   * respond. Resolves with `undefined` if no tunnel of the cluster to this server works. Rejects if the signal fires
   * first.
   */
  async connect(cluster: string, signal: AbortSignal): Promise<TunnelSocket | undefined> {
    const byConnections = this.of(cluster).sort((one, other) => one.connections - other.connections);
    const isFailing = (tunnel: Tunnel) => this.#failing.has(tunnel);
    for (const tunnel of [...byConnections.filter((one) => !isFailing(one)), ...byConnections.filter(isFailing)]) {
      try {
        const socket = await tunnel.connect(cluster, signal);
        this.#failing.delete(tunnel);
        return socket;
      } catch {
        this.#failing.add(tunnel);
        signal.throwIfAborted();
        // The tunnel has just closed, or its agent does not respond. Another tunnel may work.
      }
    }
    return undefined;
  }

  /**
   * Returns a `ClusterTunnel` that connects through the tunnels of a cluster. While the cluster has no tunnel,
   * connections are refused with 503.
   */
  to(cluster: string): ClusterTunnel {
    const displayName = `the agent of the cluster "${cluster}"`;
    const seconds = connectMilliseconds / 1000;
    const timeoutError = () =>
      new NoResponseError('TooSlow', `${displayName} did not accept a connection within ${seconds} s`);
    return {
      displayName,
      bridgeTls: () => this.#bridgeTls.get(),
      dial: (signal) =>
        withTimeout({ clock: this.#clock, milliseconds: connectMilliseconds, signal, timeoutError }, async (ending) => {
          const socket = (await this.connect(cluster, ending)) ?? (await this.throughPeers?.(cluster, ending));
          if (socket === undefined) {
            throw new NoResponseError('Unreachable', `${displayName} is not connected; see the log of the agent`);
          }
          if (!ending.aborted) return socket;
          socket.destroy();
          throw ending.reason;
        }),
      onOpened: (listener) => this.#listen(cluster, listener),
    };
  }

  #listen(cluster: string, listener: () => void): () => void {
    const listeners = this.#onOpened.get(cluster) ?? new Set();
    this.#onOpened.set(cluster, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#onOpened.get(cluster) === listeners) this.#onOpened.delete(cluster);
    };
  }

  /** Closes all tunnels immediately. */
  close(): void {
    for (const tunnels of this.#byCluster.values()) for (const tunnel of tunnels.keys()) tunnel.destroy();
  }
}
