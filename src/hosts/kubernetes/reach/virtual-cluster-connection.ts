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
  readonly connection: Pick<HostConnection, 'forward'>;
  endpointOf(place: HostLocation): VirtualClusterEndpoint | undefined;
  readonly direct: boolean;
  readonly clock: Clock;
  readonly connectTimeout: number;
  readonly answerTimeout: number;
}

/** A connection to one virtual cluster with one set of credentials. */
export interface VirtualClusterConnection {
  readonly uid: string;
  readonly credentials: VirtualClusterCredentials;
  readonly api: Required<ClusterApi>;
  connections(): number;
  /** Closes the connections to all other pods. */
  closeExcept(pods: readonly string[]): void;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

/** Opening one involves the host, the node and the pod; an open connection carries thousands of requests per second. */
const mostConnections = 64;
/**
 * Its certificate is valid for this name, because owners forward the port to their own machine, and for its service
 * names.
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
  const wires: HttpPool[] = [];

  function openWire(secure: ReturnType<typeof createTlsConnector>): HttpPool {
    const timeout = connectTimeout;
    const dialer = dialVirtualCluster({ location, connection, endpoint, direct, secure, clock, timeout });
    const { dial } = dialer;
    const wire = openHttpPool({
      origin: `https://${name}`,
      displayName: where,
      dial,
      clock,
      responseTimeoutMs: answerTimeout,
      maxConnections: mostConnections,
    });
    dialers.push(dialer);
    wires.push(wire);
    return wire;
  }

  const wire = openWire(createTlsConnector({ ...tlsOptions, clientCertificate, clientKey }));
  const withoutCertificate = lazyValue(() =>
    clientCertificate === undefined ? wire : openWire(createTlsConnector(tlsOptions)),
  ).get;
  const ownCredentials = token === undefined ? [] : credentialHeaders({ token });
  return {
    uid,
    credentials,
    api: impersonatingApi({ pool: wire, withoutCertificate, credentials: ownCredentials, root: '', name: where }),
    connections: () => wires.reduce((sum, each) => sum + each.connections, 0),
    closeExcept(pods) {
      for (const dialer of dialers) dialer.closeExcept(pods);
    },
    async close() {
      await Promise.all(wires.map((each) => each.close()));
    },
  };
}
