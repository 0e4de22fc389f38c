import { StatusError, serviceUnavailable } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { ApiRequest, ApiResponse, ClusterApi } from '../../hosts/host.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { pathSegments, rawPath } from '../../http/request/path-segments.ts';
import { callerOf, flowKeyOf } from '../../http/session/caller.ts';
import { checkImpliedPermissions } from '../implied-permissions.ts';
import { isTokenReview, tokenReview } from '../reviews/own-token-review.ts';
import { isSelfReview, scopedSelfReview } from '../reviews/self-review.ts';
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
  /** The name of the cluster in error messages, for example `the cluster "far"`. */
  readonly name: string;
  /** The number of leading path segments that address the cluster on this server. The rest is the path to forward. */
  readonly pathDepth: number;
  /** Returns the credential with which requests of this caller are sent to the cluster. */
  credentialFor(caller: Identity): ApiRequest['as'];
  /** Limits how many requests may wait for a response of this cluster. */
  readonly limiter: TargetLimiter;
}

/** A request that is being forwarded. */
interface ForwardedRequest extends Pick<ForwardRequestsOptions, 'api' | 'name'> {
  readonly exchange: Exchange;
  readonly sent: Pick<ApiRequest, 'method' | 'path' | 'as'>;
  /** The path at which this server serves the cluster. */
  readonly root: string;
  readonly forwarder: ForwarderInfo;
}

/**
 * Returns a handler that forwards requests to the API of a remote cluster and returns the responses. The handler
 * streams bodies in both directions. After a protocol upgrade, it forwards bytes without interpreting them.
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
      throw serviceUnavailable(`request loop: ${name} forwards requests back to this server`);
    const span = exchange.span?.child('gateway forward', 'client').set('flotilla.target', name);
    const forwarded: ForwardedRequest = {
      api,
      name,
      exchange,
      sent,
      root,
      forwarder: { auditId: exchange.auditId, traceparent: span?.traceparent ?? exchange.unsampledParent, via },
    };
    const release = options.limiter.acquire(flowKeyOf(caller));
    try {
      const { preauthorize } = caller;
      if (preauthorize !== undefined && isSelfReview(exchange)) {
        return await scopedSelfReview(exchange, preauthorize, (body) => review(forwarded, body));
      }
      if (preauthorize !== undefined && isTokenReview(exchange)) {
        const type = { 'content-type': 'application/json' };
        return await tokenReview(exchange, (body) => review(forwarded, body, type));
      }
      exchange.inFlightSlot?.release();
      if (preauthorize !== undefined)
        await checkImpliedPermissions(exchange, preauthorize, () => objectExists(forwarded));
      const isUpgrade = request.upgrade !== undefined && api.upgrade !== undefined;
      return await (isUpgrade ? upgrade(forwarded) : send(forwarded));
    } catch (error) {
      span?.end({ hasFailed: true });
      const { reason } = exchange.end;
      throw reason instanceof StatusError ? reason : error;
    } finally {
      span?.end();
      release();
    }
  };
}

async function send(forwarded: ForwardedRequest): Promise<Reply> {
  const { api, exchange, sent, forwarder } = forwarded;
  const { request, signal } = exchange;
  const body = hasBody(exchange) ? { body: request.body } : {};
  const response = await api.send({ ...sent, headers: forwardedRequestHeaders(request, forwarder), ...body, signal });
  return await forwardResponse(response, { ...forwarded, as: sent.as });
}

async function upgrade(forwarded: ForwardedRequest): Promise<Reply> {
  const { api, exchange, sent, root, forwarder } = forwarded;
  const { request } = exchange;
  const ending = new AbortController();
  let isUpgraded = false;
  exchange.end.onEnd((reason) => {
    // After an upgrade, do not abort if the client disconnects: the code that connects the two sockets sends the last
    // bytes to the cluster and then closes its socket.
    if (!isUpgraded || request.end?.hasEnded !== true) ending.abort(reason);
  });
  const headers = forwardedUpgradeHeaders(request, forwarder);
  const response = await api.upgrade?.({ ...sent, headers, signal: ending.signal });
  if (response === undefined) return await send(forwarded);
  if (!('socket' in response)) return await forwardResponse(response, { ...forwarded, as: sent.as });
  isUpgraded = true;
  const { socket } = response;
  ending.signal.addEventListener('abort', () => socket.destroy(), { once: true });
  if (ending.signal.aborted) socket.destroy();
  return { status: 101, headers: returnedUpgradeHeaders(response.headers, root), body: { socket } };
}

async function review(
  { api, exchange, sent, forwarder }: ForwardedRequest,
  body: Uint8Array,
  type: Readonly<Record<string, string>> = {},
) {
  exchange.inFlightSlot?.release();
  const { request, signal } = exchange;
  const headers = {
    ...forwardedRequestHeaders(request, forwarder),
    accept: 'application/json',
    'accept-encoding': 'identity',
  };
  const length = { 'content-length': String(body.byteLength) };
  const response = await api.send({ ...sent, headers: { ...headers, ...type, ...length }, body: once(body), signal });
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

/** True if the request has a body. In HTTP/2, a request may have a body although no header announces one. */
function hasBody({ request: { method, headers, httpVersion } }: Exchange): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return !/^0*$/.test(length);
  return headers['transfer-encoding'] !== undefined || (httpVersion === '2' && !methodsWithoutBody.has(method));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
