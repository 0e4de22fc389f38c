import { StatusError, serviceUnavailable } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { ApiRequest, ApiResponse, ClusterApi } from '../hosts/host.ts';
import { callerOf, shareOf } from '../http/caller.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { pathSegments, rawPath } from '../http/path-segments.ts';
import type { Reply } from '../http/reply.ts';
import { checkDoneBesides } from './done-besides.ts';
import { passAnswer, wholeBody } from './pass-answer.ts';
import { type Passer, requestHeaders, switchedHeaders, upgradeHeaders } from './passed-headers.ts';
import { passedPath } from './passed-path.ts';
import { isSelfReview, narrowedReview } from './self-review.ts';
import type { TargetRoom } from './target-room.ts';

export interface PassOnOptions {
  readonly api: ClusterApi;
  /** The name of the cluster in messages: `the cluster "far"`. */
  readonly name: string;
  /** The number of path segments in front of the cluster's own path. */
  readonly depth: number;
  /** The credential with which this caller's requests are sent. */
  asWhom(caller: Identity): ApiRequest['as'];
  /** Limits the requests that wait for this cluster. */
  readonly room: TargetRoom;
}

/** A request that is being forwarded. */
interface ForwardedRequest extends Pick<PassOnOptions, 'api' | 'name'> {
  readonly exchange: Exchange;
  readonly sent: Pick<ApiRequest, 'method' | 'path' | 'as'>;
  /** The path of the cluster's root at this server. */
  readonly root: string;
  readonly passer: Passer;
}

/**
 * Forwards requests to the API of a remote cluster and returns its responses. Bodies are streamed in both directions,
 * and upgraded connections are forwarded as plain bytes.
 */
export function passOn(options: PassOnOptions): Handler {
  const { api, name, depth } = options;
  return async (exchange) => {
    const { request } = exchange;
    const caller = callerOf(exchange);
    const sent = {
      method: request.method,
      path: passedPath(request.method, request.url, depth),
      as: options.asWhom(caller),
    };
    const root = `/${pathSegments(rawPath(request.url)).slice(0, depth).map(encodeURIComponent).join('/')}`;
    const { via } = options.room;
    if (request.headers.via?.includes(via) === true)
      throw serviceUnavailable(`request loop: ${name} leads back to this server`);
    const forwarded: ForwardedRequest = { api, name, exchange, sent, root, passer: { auditId: exchange.auditId, via } };
    const release = options.room.enter(shareOf(caller));
    try {
      const { gate } = caller;
      if (gate !== undefined && isSelfReview(exchange)) {
        return await narrowedReview(exchange, gate, (body) => review(forwarded, body));
      }
      exchange.place?.handOver();
      if (gate !== undefined) await checkDoneBesides(exchange, gate, () => objectExists(forwarded));
      const isUpgrade = request.upgrade !== undefined && api.upgrade !== undefined;
      return await (isUpgrade ? upgrade(forwarded) : send(forwarded));
    } catch (error) {
      const { reason } = exchange.end;
      throw reason instanceof StatusError ? reason : error;
    } finally {
      release();
    }
  };
}

async function send(forwarded: ForwardedRequest): Promise<Reply> {
  const { api, exchange, sent, passer } = forwarded;
  const { request, signal } = exchange;
  const body = hasBody(exchange) ? { body: request.body } : {};
  const response = await api.send({ ...sent, headers: requestHeaders(request, passer), ...body, signal });
  return await passAnswer(response, { ...forwarded, as: sent.as });
}

async function upgrade(forwarded: ForwardedRequest): Promise<Reply> {
  const { api, exchange, sent, root, passer } = forwarded;
  const { request } = exchange;
  const ending = new AbortController();
  let isUpgraded = false;
  exchange.end.follow((reason) => {
    // If the client is gone, the code that joined the two sockets closes the other side after its last bytes are sent.
    if (!isUpgraded || request.end?.isOver !== true) ending.abort(reason);
  });
  const headers = upgradeHeaders(request, passer);
  const response = await api.upgrade?.({ ...sent, headers, signal: ending.signal });
  if (response === undefined) return await send(forwarded);
  if (!('socket' in response)) return await passAnswer(response, { ...forwarded, as: sent.as });
  isUpgraded = true;
  const { socket } = response;
  ending.signal.addEventListener('abort', () => socket.destroy(), { once: true });
  if (ending.signal.aborted) socket.destroy();
  return { status: 101, headers: switchedHeaders(response.headers, root), body: { socket } };
}

async function review({ api, exchange, sent, passer }: ForwardedRequest, body: Uint8Array) {
  exchange.place?.handOver();
  const { request, signal } = exchange;
  const headers = { ...requestHeaders(request, passer), accept: 'application/json', 'accept-encoding': 'identity' };
  const length = { 'content-length': String(body.byteLength) };
  const response = await api.send({ ...sent, headers: { ...headers, ...length }, body: once(body), signal });
  return { status: response.status, body: await wholeBody(response) };
}

async function objectExists({ api, exchange, sent }: ForwardedRequest): Promise<boolean> {
  const path = rawPath(sent.path);
  const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json' };
  const response: ApiResponse = await api.send({ method: 'GET', path, headers, as: sent.as, signal: exchange.signal });
  await wholeBody(response);
  return response.status === 200;
}

const methodsWithoutBody = new Set(['GET', 'HEAD', 'OPTIONS']);

/** HTTP/2 allows a body without any header that announces it. */
function hasBody({ request: { method, headers, httpVersion } }: Exchange): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return !/^0*$/.test(length);
  return headers['transfer-encoding'] !== undefined || (httpVersion === '2' && !methodsWithoutBody.has(method));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
