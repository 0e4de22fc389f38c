import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { type Kubeconfig, writeKubeconfig } from '../../api/kubeconfig.ts';
import type { Fetch } from '../../client/http-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { once } from '../../lib/once.ts';
import type { ApiResponse, ClusterApi } from '../host.ts';
import { openApiWire } from './api-wire.ts';
import { dialServer, type ServerAddress } from './dial-server.ts';
import { type ApiTarget, impersonatingApi, type OwnApi, ownApi } from './impersonating-api.ts';
import { openWebSocket } from './open-web-socket.ts';
import { type PodPort, portForward, portForwardPath, portForwardProtocol } from './port-forward.ts';
import { credentialsOf } from './request-headers.ts';

export type { OwnApi } from './impersonating-api.ts';

export interface HostConnectionOptions {
  readonly clock: Clock;
  /** Milliseconds until a connection stands, TLS included. */
  readonly connectTimeout?: number;
  /** Milliseconds until the head of an answer is there; what lasts by its nature may take any time. */
  readonly answerTimeout?: number;
}

/**
 * The API of a Kubernetes cluster, as one kubeconfig opens it. Nothing is connected before the first request; what breaks
 * is made anew by the next one.
 *
 * Everything here rejects with StatusError: 503 where no answer comes, with the reason in words that never hold a
 * credential; 400 for a request that cannot be passed on. A request whose signal fires rejects with the signal's reason.
 * The body of an answer is read to its end, or no further, or ended by the signal: until then it has a connection.
 */
export interface HostConnection {
  /** In the name of `request.as`, for which the kubeconfig's own user needs the right to impersonate. */
  readonly api: Required<ClusterApi>;
  /** What the server itself does there: as the kubeconfig's own user. */
  readonly own: OwnApi;
  /** For `httpClient({ server: '', fetch })`: addresses are paths below the cluster's root. As the kubeconfig's own user. */
  readonly fetch: Fetch;
  /** Bytes to and from a port of a pod; the signal counts until they can flow. As the kubeconfig's own user. */
  forward(pod: PodPort, signal: AbortSignal): Promise<Duplex>;
  /** For programs that take a kubeconfig: one context, everything inline. A secret: it is never logged. */
  readonly kubeconfig: string;
  /** Ends everything that is open, at once. */
  close(): Promise<void>;
}

const defaults = {
  // A server in the same region answers in milliseconds; one behind a VPN that has to be dialled first, in seconds.
  connectTimeout: 10_000,
  // Kubernetes ends what is not made to last after 60 s by itself; its own words are better than ours.
  answerTimeout: 70_000,
};

/** Of requests that end soon: more than a server works at, fewer than a process has file handles. */
const mostConnections = 256;

/** Throws StatusError 400 for a kubeconfig whose certificates or keys are of no use. */
export function connectToHost(kubeconfig: Kubeconfig, options: HostConnectionOptions): HostConnection {
  const { clock, connectTimeout, answerTimeout } = { ...defaults, ...options };
  const { origin, pathname, host } = new URL(kubeconfig.server);
  const wireTo = (address: ServerAddress) =>
    openApiWire({
      origin,
      dial: dialServer(address, { clock, timeout: connectTimeout }),
      clock,
      answerTimeout,
      mostConnections,
    });
  const { clientCertificate, clientKey: _, ...anybody } = kubeconfig;
  const wire = wireTo(kubeconfig);
  const withoutCertificate = once(() => (clientCertificate === undefined ? wire : wireTo(anybody)));
  const root = pathname.replace(/\/+$/, '');
  const credentials = credentialsOf(kubeconfig);
  const target: ApiTarget = { wire, withoutCertificate: withoutCertificate.get, credentials, root, name: host };
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
      await Promise.all([wire.close(), withoutCertificate.made?.close()]);
    },
  };
}

const never = new AbortController().signal;
// Every request that nobody ends listens to it while it lasts.
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
