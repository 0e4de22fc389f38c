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

/** The way into one virtual cluster with the credentials of one time. */
export interface VirtualClusterWay {
  readonly uid: string;
  readonly credentials: VirtualClusterCredentials;
  readonly api: Required<ClusterApi>;
  connections(): number;
  /** Ends the connections to pods that are not among these. */
  keepOnly(pods: readonly string[]): void;
  /** Ends everything that is open, at once. */
  close(): Promise<void>;
}

/** Each of them is made by the host, the node and the pod together; one that is there carries thousands a second. */
const mostConnections = 64;
/** Its certificate is for this name, as its owner forwards the port to their own machine; and for those of its service. */
const name = 'localhost';

export function virtualClusterWay(options: VirtualClusterWayOptions): VirtualClusterWay {
  const { place, uid, credentials, connection, endpointOf, direct, clock, connectTimeout, answerTimeout } = options;
  const { certificateAuthority, insecureSkipTlsVerify: insecure, clientCertificate, clientKey, token } = credentials;
  const service = `${place.name}.${place.namespace}`;
  const where = `the virtual cluster ${place.namespace}/${place.name}`;
  const otherNames = ['127.0.0.1', 'kubernetes.default.svc', service, `${service}.svc`];
  const terms = { certificateAuthority, insecure, name, otherNames };
  const endpoint = () => endpointOf(place);
  const dials: VirtualClusterDial[] = [];
  const wires: ApiWire[] = [];

  function wireWith(secure: ReturnType<typeof tlsOver>): ApiWire {
    const timeout = connectTimeout;
    const dialling = dialVirtualCluster({ place, connection, endpoint, direct, secure, clock, timeout });
    const { dial } = dialling;
    const wire = openApiWire({ origin: `https://${name}`, where, dial, clock, answerTimeout, mostConnections });
    dials.push(dialling);
    wires.push(wire);
    return wire;
  }

  const wire = wireWith(tlsOver({ ...terms, clientCertificate, clientKey }));
  const withoutCertificate = once(() => (clientCertificate === undefined ? wire : wireWith(tlsOver(terms)))).get;
  const own = token === undefined ? [] : credentialsOf({ token });
  return {
    uid,
    credentials,
    api: impersonatingApi({ wire, withoutCertificate, credentials: own, root: '', name: where }),
    connections: () => wires.reduce((sum, each) => sum + each.connections, 0),
    keepOnly(pods) {
      for (const dialling of dials) dialling.keepOnly(pods);
    },
    async close() {
      await Promise.all(wires.map((each) => each.close()));
    },
  };
}
