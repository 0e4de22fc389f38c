import { type Kubeconfig, readKubeconfig } from '../api/kubeconfig.ts';
import type { Cluster, clusterKind } from '../api/management/v1/cluster.ts';
import type { FieldsOf } from '../api/resource.ts';
import type { ClosableHost, ClusterApi, Host } from '../hosts/host.ts';
import type { HostConnection } from '../hosts/kubernetes/reach/host-connection.ts';
import type { Log } from '../lib/log.ts';
import { clusterHiddenOf, hiddenKubeconfig } from '../management/resources/cluster-hidden.ts';
import type { KindStore } from '../registry/kind-store.ts';

/** The connections to all clusters that have a kubeconfig. They follow changes to the Cluster objects. */
export interface ConnectedHosts {
  /**
   * Returns the host of a cluster. Returns the same Host object until the credentials change. `undefined` if there is
   * no such cluster, it has no kubeconfig, or another cluster responds at its address.
   */
  hostOf(cluster: string): Host | undefined;
  /** Returns the API of the cluster itself, to which the gateway forwards requests of users. */
  apiOf(cluster: string): ClusterApi | undefined;
  /** Returns the connection that the server itself uses for the cluster. */
  connectionOf(cluster: string): HostConnection | undefined;
  /**
   * Calls `listener` with the name of each cluster whose host was added, replaced or removed. The listener must return
   * quickly. Returns a function that unsubscribes.
   */
  onReplaced(listener: (cluster: string) => void): () => void;
  close(): Promise<void>;
}

export interface ConnectedHostsOptions {
  /** The Cluster store of the management API. */
  readonly clusters: Pick<KindStore<FieldsOf<typeof clusterKind>>, 'peek' | 'peekAll' | 'peekHidden' | 'listen'>;
  /** Decrypts a kubeconfig. Throws if it was sealed with another seal key. */
  unseal(sealed: string): string;
  /**
   * Creates a connection. `agentOf` is the cluster whose agent announced the kubeconfig; `undefined` if no agent
   * announced it. The address in a kubeconfig that an agent announced is trusted.
   */
  connect(kubeconfig: Kubeconfig, agentOf: string | undefined): HostConnection;
  hostOn(cluster: string, connection: HostConnection): ClosableHost;
  readonly log: Log;
}

interface Connected {
  readonly connection: HostConnection;
  readonly host: ClosableHost;
}

interface Entry {
  /** The sealed kubeconfig from which the connection was created. A different value means new credentials. */
  readonly sealed: string;
  /** The connection and its host; `undefined` if the kubeconfig is unusable. */
  readonly connected: Connected | undefined;
  /**
   * True if the kubeconfig leads to another cluster than the Cluster object describes. A mismatch blocks all requests
   * except probes: `hostOf` and `apiOf` return `undefined`, and only `connectionOf` returns the connection.
   */
  readonly isMismatched: boolean;
}

/**
 * Connects all clusters that have a kubeconfig. New credentials create a new connection and a new host, and end all
 * requests on the old connection, because the old credentials may be compromised.
 */
export function connectHosts(options: ConnectedHostsOptions): ConnectedHosts {
  const { clusters, log } = options;
  const entries = new Map<string, Entry>();
  const listeners = new Set<(cluster: string) => void>();
  const closing = new Set<Promise<void>>();

  function open(cluster: string, sealed: string): Connected | undefined {
    try {
      const { kubeconfig, fault } = readKubeconfig(options.unseal(sealed));
      if (kubeconfig === undefined) throw new Error(`the kubeconfig ${fault}`);
      const isAgent = clusters.peek('', cluster)?.object.spec?.networkPeer === true;
      const connection = options.connect(kubeconfig, isAgent ? cluster : undefined);
      return { connection, host: options.hostOn(cluster, connection) };
    } catch (error) {
      // Possible causes: the seal key was replaced, or this version rejects a kubeconfig that an older version
      // accepted.
      log.error({ cluster, error: String(error) }, 'cannot use the kubeconfig of a connected cluster');
      return undefined;
    }
  }

  function disconnect({ connection, host }: Connected): void {
    const closed = host.close().then(() => connection.close());
    closing.add(closed);
    void closed
      .catch((error: unknown) => log.warn({ error: String(error) }, 'cannot close the connection to a cluster'))
      .finally(() => closing.delete(closed));
  }

  function sync(cluster: string): void {
    const sealed = clusterHiddenOf(clusters.peekHidden('', cluster))?.[hiddenKubeconfig] ?? '';
    const before = entries.get(cluster);
    const isMismatched = isMismatch(clusters.peek('', cluster)?.object);
    const isSame = sealed === (before?.sealed ?? '');
    if (isSame && isMismatched === (before?.isMismatched ?? isMismatched)) return;
    if (sealed === '') entries.delete(cluster);
    else
      entries.set(cluster, {
        sealed,
        connected: isSame ? before?.connected : open(cluster, sealed),
        isMismatched,
      });
    if (!isSame && before?.connected !== undefined) disconnect(before.connected);
    for (const listener of listeners) listener(cluster);
  }

  const connectedFor = (cluster: string): Connected | undefined => {
    const entry = entries.get(cluster);
    return entry?.isMismatched === true ? undefined : entry?.connected;
  };

  const stop = clusters.listen(({ before, after }) => sync((after ?? before)?.object.metadata.name ?? ''));
  for (const { object } of clusters.peekAll()) sync(object.metadata.name ?? '');

  return {
    hostOf: (cluster) => connectedFor(cluster)?.host,
    apiOf: (cluster) => connectedFor(cluster)?.connection.api,
    connectionOf: (cluster) => entries.get(cluster)?.connected?.connection,
    onReplaced(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      stop();
      for (const { connected } of entries.values()) if (connected !== undefined) disconnect(connected);
      entries.clear();
      await Promise.allSettled(closing);
    },
  };
}

function isMismatch(cluster: Cluster | undefined): boolean {
  return (cluster?.status?.conditions ?? []).some(({ type, status }) => type === 'Unique' && status === 'False');
}
