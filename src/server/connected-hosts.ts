import { type Kubeconfig, readKubeconfig } from '../api/kubeconfig.ts';
import type { KubeObject } from '../api/meta.ts';
import type { ClosableHost, ClusterApi, Host } from '../hosts/host.ts';
import type { HostConnection } from '../hosts/kubernetes/host-connection.ts';
import { listAt, textAt } from '../lib/json-path.ts';
import type { Log } from '../lib/log.ts';
import { hiddenKubeconfig } from '../management/resources/clusters.ts';
import type { KindStore } from '../registry/kind-store.ts';

/** The ways to the connected clusters that are reached by a kubeconfig, kept as their objects say. */
export interface ConnectedHosts {
  /**
   * undefined: there is no such cluster, none that is reached so, or another one answers in its place. The same one until
   * its credentials are others.
   */
  hostOf(cluster: string): Host | undefined;
  /** The API of the cluster itself, for callers of the server. */
  apiOf(cluster: string): ClusterApi | undefined;
  /** What the server itself asks the cluster by. */
  connectionOf(cluster: string): HostConnection | undefined;
  /** Calls back when the host of a cluster came, is another one, or went. Returns how to stop. Listeners are quick. */
  onReplaced(listener: (cluster: string) => void): () => void;
  close(): Promise<void>;
}

export interface ConnectedHostsOptions {
  /** Of the management API. */
  readonly clusters: Pick<KindStore, 'peek' | 'peekAll' | 'peekHidden' | 'listen'>;
  /** What a sealed kubeconfig says; throws for what this installation did not seal. */
  unseal(sealed: string): string;
  connect(kubeconfig: Kubeconfig): HostConnection;
  hostOn(cluster: string, connection: HostConnection): ClosableHost;
  readonly log: Log;
}

interface Way {
  readonly connection: HostConnection;
  readonly host: ClosableHost;
}

interface Entry {
  /** The kubeconfig that it was made of. */
  readonly sealed: string;
  /** undefined: it is of no use. */
  readonly way: Way | undefined;
  /** What answers there is not this object's cluster: nobody is led there. */
  readonly isMistaken: boolean;
}

/**
 * Follows the Cluster objects. New credentials are a new connection and a new host: whatever was open with the old ones
 * ends, as whoever replaced them has a reason to.
 */
export function connectHosts(options: ConnectedHostsOptions): ConnectedHosts {
  const { clusters, log } = options;
  const entries = new Map<string, Entry>();
  const listeners = new Set<(cluster: string) => void>();
  const closing = new Set<Promise<void>>();

  function open(cluster: string, sealed: string): Way | undefined {
    try {
      const { kubeconfig, fault } = readKubeconfig(options.unseal(sealed));
      if (kubeconfig === undefined) throw new Error(`the kubeconfig ${fault}`);
      const connection = options.connect(kubeconfig);
      return { connection, host: options.hostOn(cluster, connection) };
    } catch (error) {
      // The seal key is another one, or a newer version of the server refuses what an older one took.
      log.error({ cluster, error: String(error) }, 'the kubeconfig of a connected cluster cannot be used');
      return undefined;
    }
  }

  function shut({ connection, host }: Way): void {
    const closed = host.close().then(() => connection.close());
    closing.add(closed);
    void closed
      .catch((error: unknown) => log.warn({ error: String(error) }, 'the connection to a cluster ended badly'))
      .finally(() => closing.delete(closed));
  }

  function keep(cluster: string): void {
    const sealed = textAt(clusters.peekHidden('', cluster), hiddenKubeconfig);
    const before = entries.get(cluster);
    const isMistaken = isOfAnother(clusters.peek('', cluster)?.object);
    const isSame = sealed === (before?.sealed ?? '');
    if (isSame && isMistaken === (before?.isMistaken ?? isMistaken)) return;
    if (sealed === '') entries.delete(cluster);
    else entries.set(cluster, { sealed, way: isSame ? before?.way : open(cluster, sealed), isMistaken });
    if (!isSame && before?.way !== undefined) shut(before.way);
    for (const listener of listeners) listener(cluster);
  }

  const wayFor = (cluster: string): Way | undefined => {
    const entry = entries.get(cluster);
    return entry?.isMistaken === true ? undefined : entry?.way;
  };

  const stop = clusters.listen(({ before, after }) => keep((after ?? before)?.object.metadata.name ?? ''));
  for (const { object } of clusters.peekAll()) keep(object.metadata.name ?? '');

  return {
    hostOf: (cluster) => wayFor(cluster)?.host,
    apiOf: (cluster) => wayFor(cluster)?.connection.api,
    connectionOf: (cluster) => entries.get(cluster)?.way?.connection,
    onReplaced(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      stop();
      for (const { way } of entries.values()) if (way !== undefined) shut(way);
      entries.clear();
      await Promise.allSettled(closing);
    },
  };
}

function isOfAnother(cluster: KubeObject | undefined): boolean {
  return listAt(cluster, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Unique' && textAt(condition, 'status') === 'False',
  );
}
