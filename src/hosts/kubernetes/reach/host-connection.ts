import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { type Kubeconfig, writeKubeconfig } from '../../../api/kubeconfig.ts';
import type { Fetch } from '../../../client/http-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import { lazyValue } from '../../../lib/lazy-value.ts';
import type { ApiResponse, ClusterApi } from '../../host.ts';
import { dialServer, type ServerAddress } from './dial-server.ts';
import { openHttpPool } from './http-pool.ts';
import { type ApiTarget, impersonatingApi, type OwnApi, ownApi } from './impersonating-api.ts';
import { openWebSocket } from './open-web-socket.ts';
import { type PodPort, portForward, portForwardPath, portForwardProtocol } from './port-forward.ts';
import { credentialHeaders } from './request-headers.ts';

export type { OwnApi } from './impersonating-api.ts';

export interface HostConnectionOptions {
  readonly clock: Clock;
  /** The timeout for a connection including TLS, in milliseconds. */
  readonly connectTimeout?: number;
  /** The timeout for the response head, in milliseconds; long-running requests have none. */
  readonly answerTimeout?: number;
}

/**
 * A connection to the API of a Kubernetes cluster, from a kubeconfig. It connects on the first request and reconnects
 * on demand.
 *
 * Everything here rejects with StatusError: 503 if there is no response, with a message that never contains a
 * credential; 400 for a request that cannot be forwarded. A request whose signal fires rejects with the signal's
 * reason. A response body occupies a connection until it is read to its end, abandoned, or aborted by the signal.
 */
export interface HostConnection {
  /** Sends requests as `request.as`; the kubeconfig's own user needs permission to impersonate. */
  readonly api: Required<ClusterApi>;
  /** Sends the server's own requests, as the kubeconfig's own user. */
  readonly own: OwnApi;
  /** For `httpClient({ server: '', fetch })`: URLs are paths below the cluster's root. As the kubeconfig's own user. */
  readonly fetch: Fetch;
  /** Forwards a port of a pod; the signal applies until the connection is established. As the kubeconfig's own user. */
  forward(pod: PodPort, signal: AbortSignal): Promise<Duplex>;
  /** A kubeconfig for other programs: one context with inline credentials. A secret: never log it. */
  readonly kubeconfig: string;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

const defaults = {
  // A server in the same region responds in milliseconds; one behind a VPN that must dial first, in seconds.
  connectTimeout: 10_000,
  // Kubernetes itself ends short requests after 60 s, and its own error message is better than ours.
  answerTimeout: 70_000,
};

/** The connections for short requests: more than a server executes concurrently, fewer than a process can open. */
const mostConnections = 256;

/** Throws StatusError 400 if the kubeconfig's certificates or keys are unusable. */
export function connectToHost(kubeconfig: Kubeconfig, options: HostConnectionOptions): HostConnection {
  const { clock, connectTimeout, answerTimeout } = { ...defaults, ...options };
  const { origin, pathname, host } = new URL(kubeconfig.server);
  const wireTo = (address: ServerAddress) =>
    openHttpPool({
      origin,
      dial: dialServer(address, { clock, timeout: connectTimeout }),
      clock,
      responseTimeoutMs: answerTimeout,
      maxConnections: mostConnections,
    });
  const { clientCertificate, clientKey: _, ...anybody } = kubeconfig;
  const wire = wireTo(kubeconfig);
  const withoutCertificate = lazyValue(() => (clientCertificate === undefined ? wire : wireTo(anybody)));
  const root = pathname.replace(/\/+$/, '');
  const credentials = credentialHeaders(kubeconfig);
  const target: ApiTarget = { pool: wire, withoutCertificate: withoutCertificate.get, credentials, root, name: host };
  const own = ownApi(target);
  return {
    own,
    api: impersonatingApi(target),
    fetch: fetchOver(own),
    async forward(pod, signal) {
      const path = `${root}${portForwardPath(pod)}`;
      const asked = {
        path,
        headers: credentials,
        protocol: portForwardProtocol,
        host,
        clock,
        timeout: answerTimeout,
        signal,
      };
      const webSocket = await openWebSocket(await wire.connect(signal), asked);
      return portForward(webSocket, `the pod ${pod.namespace}/${pod.name}`, clock);
    },
    kubeconfig: writeKubeconfig(kubeconfig),
    async close() {
      await Promise.all([wire.close(), withoutCertificate.created?.close()]);
    },
  };
}

const never = new AbortController().signal;
// Every request without its own signal adds a listener.
setMaxListeners(0, never);

function fetchOver(own: OwnApi): Fetch {
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
