import type { Clock } from '../../lib/clock.ts';
import { once } from '../../lib/once.ts';
import type { ClusterApi, HostPlace } from '../host.ts';
import { type ApiWire, openApiWire } from './api-wire.ts';
import { dialVirtualCluster, type VirtualClusterDial, type VirtualClusterEndpoint } from './dial-virtual-cluster.ts';
import type { HostConnection } from './host-connection.ts';
import { impersonatingApi } from './impersonating-api.ts';
import { credentialsOf } from './request-headers.ts';
import { tlsOver } from './tls-over.ts';
import type { VirtualClusterCredentials } from './virtual-cluster-secret.ts';

export interface VirtualClusterWayOptions {
  readonly place: HostPlace;
  readonly uid: string;
  readonly credentials: VirtualClusterCredentials;
  readonly connection: Pick<HostConnection, 'forward'>;
  endpointOf(place: HostPlace): VirtualClusterEndpoint | undefined;
  readonly direct: boolean;
  readonly clock: Clock;
  readonly connectTimeout: number;
  readonly answerTimeout: number;
}

/** A connection to one virtual cluster with one set of credentials. */
export interface VirtualClusterWay {
  readonly uid: string;
  readonly credentials: VirtualClusterCredentials;
  readonly api: Required<ClusterApi>;
  connections(): number;
  /** Closes the connections to all other pods. */
  keepOnly(pods: readonly string[]): void;
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

export function virtualClusterWay(options: VirtualClusterWayOptions): VirtualClusterWay {
  const { place, uid, credentials, connection, endpointOf, direct, clock, connectTimeout, answerTimeout } = options;
  const { certificateAuthority, insecureSkipTlsVerify: insecure, clientCertificate, clientKey, token } = credentials;
  const service = `${place.name}.${place.namespace}`;
  const where = `the virtual cluster ${place.namespace}/${place.name}`;
  const otherNames = ['127.0.0.1', 'kubernetes.default.svc', service, `${service}.svc`];
  const tlsOptions = { certificateAuthority, insecure, name, otherNames };
  const endpoint = () => endpointOf(place);
  const dialers: VirtualClusterDial[] = [];
  const wires: ApiWire[] = [];

  function openWire(secure: ReturnType<typeof tlsOver>): ApiWire {
    const timeout = connectTimeout;
    const dialer = dialVirtualCluster({ place, connection, endpoint, direct, secure, clock, timeout });
    const { dial } = dialer;
    const wire = openApiWire({ origin: `https://${name}`, where, dial, clock, answerTimeout, mostConnections });
    dialers.push(dialer);
    wires.push(wire);
    return wire;
  }

  const wire = openWire(tlsOver({ ...tlsOptions, clientCertificate, clientKey }));
  const withoutCertificate = once(() => (clientCertificate === undefined ? wire : openWire(tlsOver(tlsOptions)))).get;
  const ownCredentials = token === undefined ? [] : credentialsOf({ token });
  return {
    uid,
    credentials,
    api: impersonatingApi({ wire, withoutCertificate, credentials: ownCredentials, root: '', name: where }),
    connections: () => wires.reduce((sum, each) => sum + each.connections, 0),
    keepOnly(pods) {
      for (const dialer of dialers) dialer.keepOnly(pods);
    },
    async close() {
      await Promise.all(wires.map((each) => each.close()));
    },
  };
}
