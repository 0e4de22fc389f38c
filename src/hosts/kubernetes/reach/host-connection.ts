import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Kubeconfig, writeKubeconfig } from '../../../api/kubeconfig.ts';
import type { Fetch } from '../../../client/http-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import { lazyValue } from '../../../lib/lazy-value.ts';
import type { OutgoingAddresses } from '../../../lib/outgoing-addresses.ts';
import { withoutTrailingSlashes } from '../../../lib/without-trailing-slashes.ts';
import type { ApiResponse, ClusterApi } from '../../host.ts';
import { type ConnectionPolicy, dialServer, type ServerAddress } from './dial-server.ts';
import { openHttpPool } from './http-pool.ts';
import { type ApiTarget, impersonatingApi, type KubeconfigUserApi, kubeconfigUserApi } from './impersonating-api.ts';
import { openWebSocket } from './open-web-socket.ts';
import { type PodPort, portForward, portForwardPath, portForwardProtocol } from './port-forward.ts';
import { openProgramAccess, type ProgramTunnel } from './programs/program-access.ts';
import { bearerHeader, credentialHeaders } from './request-headers.ts';

export type { KubeconfigUserApi } from './impersonating-api.ts';

export interface HostConnectionOptions {
  readonly clock: Clock;
  /** The timeout for opening a connection including TLS, in milliseconds. */
  readonly connectTimeout?: number;
  /**
   * The maximum time until the status and headers of a response arrive, in milliseconds. Does not apply to long-running
   * requests.
   */
  readonly answerTimeout?: number;
  /** The time after which an idle connection is closed, in milliseconds. Optional. */
  readonly idleTimeout?: number | undefined;
  /** The servers to which connections are allowed. Optional; defaults to all servers. */
  readonly policy?: ConnectionPolicy | undefined;
  /**
   * Returns the current token of the user. Present only if the token changes over time; otherwise the credentials of
   * the kubeconfig are used.
   */
  readonly currentToken?: (() => string) | undefined;
  /** The tunnel to the server. Optional; without it, connections are opened to the server's address. */
  readonly tunnel?: ClusterTunnel | undefined;
}

/** The tunnel to a cluster, which the agent of the cluster keeps open. */
export interface ClusterTunnel extends ProgramTunnel {
  /** The name of the cluster in error messages. */
  readonly displayName: string;
  /** Calls the listener each time the agent has opened a tunnel, until the returned function is called. */
  onOpened(listener: () => void): () => void;
}

/**
 * A connection to the API of a Kubernetes cluster, from a kubeconfig. It connects on the first request and reconnects
 * if necessary.
 *
 * All functions reject with StatusError: 503 if there is no response, 400 for a request that cannot be forwarded. The
 * message never contains a credential. If the signal of a request fires, the request rejects with the signal's reason.
 * A response occupies a connection until its body is read to the end, its reader stops, or the signal fires.
 */
export interface HostConnection {
  /** Sends requests as the user `request.as`. The user of the kubeconfig needs permission to impersonate that user. */
  readonly api: Required<ClusterApi>;
  /** Sends the server's own requests, as the user of the kubeconfig. */
  readonly own: KubeconfigUserApi;
  /**
   * Sends requests as the user of the kubeconfig. URLs are paths below the root of the cluster. Meant for
   * `httpClient({ server: '', fetch })`.
   */
  readonly fetch: Fetch;
  /**
   * Opens a port-forward connection to a pod, as the user of the kubeconfig. The signal aborts only the opening, not an
   * open connection.
   */
  forward(pod: PodPort, signal: AbortSignal): Promise<Duplex>;
  /** Opens a WebSocket as the user of the kubeconfig. The signal aborts the handshake. The WebSocket starts paused. */
  webSocket(path: string, protocol: string, signal: AbortSignal): Promise<WebSocket>;
  /**
   * The limits of the addresses at which virtual clusters on the host are reached. Absent if all addresses are allowed.
   */
  readonly addresses?: OutgoingAddresses;
  /**
   * Calls the listener each time the cluster can probably be reached again, until the returned function is called.
   * Absent if only a request can show whether the cluster is reachable.
   */
  onReachable?(listener: () => void): () => void;
  /** The kubeconfig, with a single context and inline credentials. It is a secret: never log it. */
  readonly kubeconfig: string;
  /**
   * Returns a kubeconfig with which other programs on this machine reach the cluster. The kubeconfig is a secret: never
   * log it.
   */
  programKubeconfig(): Promise<string>;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

const defaults = {
  // A server in the same region accepts a connection in milliseconds. If a VPN must be established first, this takes
  // seconds.
  connectTimeout: 10_000,
  // Kubernetes ends short requests after 60 seconds. This timeout is longer, so the client gets the error message of
  // Kubernetes, which is more helpful than an error message about this timeout.
  answerTimeout: 70_000,
};

/**
 * The time after which an idle connection in a tunnel is closed, in milliseconds. A new connection takes a single round
 * trip, and an idle connection takes memory at both ends. The time is shorter than the interval of the probes, which
 * are the only requests to most clusters.
 */
const tunnelIdleTimeout = 5_000;

/**
 * Maximum number of connections for short requests. It is high enough for the requests that a server executes at the
 * same time, and low enough not to exhaust the sockets of this process.
 */
const maxConnections = 256;

/** Creates a connection. Throws StatusError 400 if the certificates or keys in the kubeconfig are unusable. */
export function connectToHost(kubeconfig: Kubeconfig, options: HostConnectionOptions): HostConnection {
  const { clock, connectTimeout, answerTimeout, idleTimeout, policy, currentToken, tunnel } = {
    ...defaults,
    ...options,
  };
  const { origin, pathname, host } = new URL(kubeconfig.server);
  const poolFor = (address: ServerAddress) =>
    openHttpPool({
      origin,
      ...(tunnel === undefined ? {} : { displayName: tunnel.displayName }),
      dial: tunnel?.dial ?? dialServer(address, { clock, timeout: connectTimeout, policy }),
      clock,
      responseTimeoutMs: answerTimeout,
      maxConnections,
      idleTimeoutMs: tunnel === undefined ? idleTimeout : tunnelIdleTimeout,
    });
  const name = tunnel?.displayName ?? host;
  const { clientCertificate, clientKey: _, ...anybody } = kubeconfig;
  const pool = poolFor(kubeconfig);
  const withoutCertificate = lazyValue(() => (clientCertificate === undefined ? pool : poolFor(anybody)));
  const root = withoutTrailingSlashes(pathname);
  const fixedCredentials = credentialHeaders(kubeconfig);
  const credentials = () => (currentToken === undefined ? fixedCredentials : bearerHeader(currentToken()));
  const target: ApiTarget = { pool, withoutCertificate: withoutCertificate.get, credentials, root, name };
  const own = kubeconfigUserApi(target);
  const programs = openProgramAccess(kubeconfig, { clock, timeout: connectTimeout, policy, tunnel });
  const webSocket: HostConnection['webSocket'] = async (path, protocol, signal) =>
    await openWebSocket(await pool.connect(signal), {
      path: `${root}${path}`,
      headers: credentials(),
      protocol,
      host,
      clock,
      timeout: answerTimeout,
      signal,
    });
  return {
    own,
    api: impersonatingApi(target),
    fetch: fetchOver(own),
    ...(policy === undefined ? {} : { addresses: policy.addresses }),
    ...(tunnel === undefined ? {} : { onReachable: (listener) => tunnel.onOpened(listener) }),
    webSocket,
    async forward(pod, signal) {
      const opened = await webSocket(portForwardPath(pod), portForwardProtocol, signal);
      return portForward(opened, `the pod ${pod.namespace}/${pod.name}`, clock);
    },
    kubeconfig: writeKubeconfig(kubeconfig),
    programKubeconfig: programs.kubeconfig,
    async close() {
      await Promise.all([pool.close(), withoutCertificate.created?.close(), programs.close()]);
    },
  };
}

const never = new AbortController().signal;
// Each request without its own signal adds a listener to `never`. 0 means that Node.js does not warn about many
// listeners.
setMaxListeners(0, never);

function fetchOver(own: KubeconfigUserApi): Fetch {
  return async (path, { method, headers, body, signal = never }) => {
    const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const answer = await own.send({
      method,
      path,
      headers: {
        ...Object.fromEntries(lowerCase),
        ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
      },
      signal,
      ...(bytes === undefined ? {} : { body: oneChunk(bytes) }),
    });
    return { status: answer.status, body: answer.body, text: () => textOf(answer) };
  };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function textOf({ body }: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
