import { proxySubresource, virtualClusterKind } from '../../api/storage/virtual-cluster.ts';
import { httpClient } from '../../client/http-client.ts';
import { startInformer } from '../../client/informer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ClosableHost, HostLocation } from '../host.ts';
import type { HostConnection } from '../kubernetes/reach/host-connection.ts';
import { builtinHost, toHostedVirtualCluster } from './builtin-host.ts';

export interface RemoteBuiltinHostOptions {
  /** The connection to the cluster. It belongs to the caller: `close` of the host does not close it. */
  readonly connection: HostConnection;
  readonly clock: Clock;
  readonly log: Log;
}

/** The host driver of a built-in cluster that an agent runs on another machine. The driver uses an HTTPS connection. */
export function remoteBuiltinHost({ connection, clock, log }: RemoteBuiltinHostOptions): ClosableHost {
  const closing = new AbortController();
  const { api } = connection;
  const hostClient = httpClient({ server: '', fetch: connection.fetch });
  const host = builtinHost({
    hostClient,
    send: (location, request) => api.send({ ...request, path: `${proxyTo(location)}${request.path}` }),
    sendToHost: (request) => api.send(request),
    clock,
    log,
  });
  const copy = startInformer({
    resource: hostClient.resource(virtualClusterKind),
    clock,
    log,
    signal: closing.signal,
    onChange() {},
  });
  return {
    ...host,
    // Gateways call this function for every request, nearly always for a ready virtual cluster, so the cache serves
    // that case. For any other phase, the current state is read from the cluster, because callers may wait for a change
    // that has not reached the cache yet.
    async observe(location, call) {
      const known = copy.get(location.namespace, location.name);
      const found = known && toHostedVirtualCluster(known);
      return found?.phase === 'Ready' ? found : await host.observe(location, call);
    },
    watch: (listener, signal) => host.watch(listener, AbortSignal.any([signal, closing.signal])),
    spaces: {
      ...host.spaces,
      watch: (listener, signal) => host.spaces.watch(listener, AbortSignal.any([signal, closing.signal])),
    },
    async close() {
      closing.abort(new Error('the cluster is no longer connected'));
      await copy.done;
    },
  };
}

function proxyTo({ namespace, name }: HostLocation): string {
  const { group, version, plural } = virtualClusterKind;
  return `/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}/${proxySubresource}`;
}
