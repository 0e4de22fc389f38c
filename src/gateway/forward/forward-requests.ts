import { StatusError, serviceUnavailable } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { ApiRequest, ApiResponse, ClusterApi } from '../../hosts/host.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { pathSegments, rawPath } from '../../http/request/path-segments.ts';
import { callerOf, flowKeyOf } from '../../http/session/caller.ts';
import { checkImpliedPermissions } from '../implied-permissions.ts';
import { isSelfReview, scopedSelfReview } from '../self-review.ts';
import { forwardResponse, readWholeBody } from './forward-response.ts';
import {
  type ForwarderInfo,
  forwardedRequestHeaders,
  forwardedUpgradeHeaders,
  returnedUpgradeHeaders,
} from './forwarded-headers.ts';
import { forwardedPath } from './forwarded-path.ts';
import type { TargetLimiter } from './target-limiter.ts';

export interface ForwardRequestsOptions {
  readonly api: ClusterApi;
  /** The name of the cluster in messages: `the cluster "far"`. */
  readonly name: string;
  /** The number of path segments in front of the cluster's own path. */
  readonly pathDepth: number;
  /** The credential with which this caller's requests are sent. */
  credentialFor(caller: Identity): ApiRequest['as'];
  /** Limits the requests that wait for this cluster. */
  readonly limiter: TargetLimiter;
}

/** A request that is being forwarded. */
interface ForwardedRequest extends Pick<ForwardRequestsOptions, 'api' | 'name'> {
  readonly exchange: Exchange;
  readonly sent: Pick<ApiRequest, 'method' | 'path' | 'as'>;
  /** The path of the cluster's root at this server. */
  readonly root: string;
  readonly passer: ForwarderInfo;
}

/**
 * Forwards requests to the API of a remote cluster and returns its responses. Bodies are streamed in both directions,
 * and upgraded connections are forwarded as plain bytes.
 */
export function forwardRequests(options: ForwardRequestsOptions): Handler {
  const { api, name, pathDepth } = options;
  return async (exchange) => {
    const { request } = exchange;
    const caller = callerOf(exchange);
    const sent = {
      method: request.method,
      path: forwardedPath(request.method, request.url, pathDepth),
      as: options.credentialFor(caller),
    };
    const root = `/${pathSegments(rawPath(request.url)).slice(0, pathDepth).map(encodeURIComponent).join('/')}`;
    const { via } = options.limiter;
    if (request.headers.via?.includes(via) === true)
      throw serviceUnavailable(`request loop: ${name} leads back to this server`);
    const forwarded: ForwardedRequest = { api, name, exchange, sent, root, passer: { auditId: exchange.auditId, via } };
    const release = options.limiter.acquire(flowKeyOf(caller));
    try {
      const { preauthorize } = caller;
      if (preauthorize !== undefined && isSelfReview(exchange)) {
        return await scopedSelfReview(exchange, preauthorize, (body) => review(forwarded, body));
      }
      exchange.inFlightSlot?.release();
      if (preauthorize !== undefined)
        await checkImpliedPermissions(exchange, preauthorize, () => objectExists(forwarded));
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
  const response = await api.send({ ...sent, headers: forwardedRequestHeaders(request, passer), ...body, signal });
  return await forwardResponse(response, { ...forwarded, as: sent.as });
}

async function upgrade(forwarded: ForwardedRequest): Promise<Reply> {
  const { api, exchange, sent, root, passer } = forwarded;
  const { request } = exchange;
  const ending = new AbortController();
  let isUpgraded = false;
  exchange.end.onEnd((reason) => {
    // If the client is gone, the code that joined the two sockets closes the other side after its last bytes are sent.
    if (!isUpgraded || request.end?.hasEnded !== true) ending.abort(reason);
  });
  const headers = forwardedUpgradeHeaders(request, passer);
  const response = await api.upgrade?.({ ...sent, headers, signal: ending.signal });
  if (response === undefined) return await send(forwarded);
  if (!('socket' in response)) return await forwardResponse(response, { ...forwarded, as: sent.as });
  isUpgraded = true;
  const { socket } = response;
  ending.signal.addEventListener('abort', () => socket.destroy(), { once: true });
  if (ending.signal.aborted) socket.destroy();
  return { status: 101, headers: returnedUpgradeHeaders(response.headers, root), body: { socket } };
}

async function review({ api, exchange, sent, passer }: ForwardedRequest, body: Uint8Array) {
  exchange.inFlightSlot?.release();
  const { request, signal } = exchange;
  const headers = {
    ...forwardedRequestHeaders(request, passer),
    accept: 'application/json',
    'accept-encoding': 'identity',
  };
  const length = { 'content-length': String(body.byteLength) };
  const response = await api.send({ ...sent, headers: { ...headers, ...length }, body: once(body), signal });
  return { status: response.status, body: await readWholeBody(response) };
}

async function objectExists({ api, exchange, sent }: ForwardedRequest): Promise<boolean> {
  const path = rawPath(sent.path);
  const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json' };
  const response: ApiResponse = await api.send({ method: 'GET', path, headers, as: sent.as, signal: exchange.signal });
  await readWholeBody(response);
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
