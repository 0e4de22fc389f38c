import type { Clock } from '../../../lib/clock.ts';
import { lazyValue } from '../../../lib/lazy-value.ts';
import type { ClusterApi, HostLocation } from '../../host.ts';
import { dialVirtualCluster, type VirtualClusterDialer, type VirtualClusterEndpoint } from './dial-virtual-cluster.ts';
import type { HostConnection } from './host-connection.ts';
import { type HttpPool, openHttpPool } from './http-pool.ts';
import { impersonatingApi } from './impersonating-api.ts';
import { credentialHeaders } from './request-headers.ts';
import { createTlsConnector } from './tls-connector.ts';
import type { VirtualClusterCredentials } from './virtual-cluster-secret.ts';

export interface VirtualClusterConnectionOptions {
  readonly location: HostLocation;
  readonly uid: string;
  readonly credentials: VirtualClusterCredentials;
  readonly connection: Pick<HostConnection, 'forward' | 'addresses'>;
  endpointOf(location: HostLocation): VirtualClusterEndpoint | undefined;
  readonly direct: boolean;
  readonly clock: Clock;
  readonly connectTimeout: number;
  readonly answerTimeout: number;
}

/** The connections to the API of one virtual cluster, with the same credentials. */
export interface VirtualClusterConnection {
  readonly uid: string;
  readonly credentials: VirtualClusterCredentials;
  readonly api: Required<ClusterApi>;
  connections(): number;
  /** Closes the connections to all pods except the given ones. */
  closeExcept(pods: readonly string[]): void;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

/**
 * Maximum number of connections to a virtual cluster. Opening a connection is expensive, because it involves the host,
 * the node and the pod. An open connection can carry thousands of requests per second.
 */
const maxConnections = 64;
/**
 * A name for which the certificate of every virtual cluster is valid, because owners forward
 * the port of the API to their own machines.
 */
const name = 'localhost';

export function openVirtualClusterConnection(options: VirtualClusterConnectionOptions): VirtualClusterConnection {
  const { location, uid, credentials, connection, endpointOf, direct, clock, connectTimeout, answerTimeout } = options;
  const { certificateAuthority, insecureSkipTlsVerify: insecure, clientCertificate, clientKey, token } = credentials;
  const service = `${location.name}.${location.namespace}`;
  const where = `the virtual cluster ${location.namespace}/${location.name}`;
  const otherNames = ['127.0.0.1', 'kubernetes.default.svc', service, `${service}.svc`];
  const tlsOptions = { certificateAuthority, insecure, name, otherNames };
  const endpoint = () => endpointOf(location);
  const dialers: VirtualClusterDialer[] = [];
  const pools: HttpPool[] = [];

  function openPool(secure: ReturnType<typeof createTlsConnector>): HttpPool {
    const timeout = connectTimeout;
    const dialer = dialVirtualCluster({ location, connection, endpoint, direct, secure, clock, timeout });
    const { dial } = dialer;
    const pool = openHttpPool({
      origin: `https://${name}`,
      displayName: where,
      dial,
      clock,
      responseTimeoutMs: answerTimeout,
      maxConnections,
    });
    dialers.push(dialer);
    pools.push(pool);
    return pool;
  }

  const pool = openPool(createTlsConnector({ ...tlsOptions, clientCertificate, clientKey }));
  const withoutCertificate = lazyValue(() =>
    clientCertificate === undefined ? pool : openPool(createTlsConnector(tlsOptions)),
  ).get;
  const ownCredentials = token === undefined ? [] : credentialHeaders({ token });
  return {
    uid,
    credentials,
    api: impersonatingApi({ pool, withoutCertificate, credentials: () => ownCredentials, root: '', name: where }),
    connections: () => pools.reduce((sum, each) => sum + each.connections, 0),
    closeExcept(pods) {
      for (const dialer of dialers) dialer.closeExcept(pods);
    },
    async close() {
      await Promise.all(pools.map((each) => each.close()));
    },
  };
}
