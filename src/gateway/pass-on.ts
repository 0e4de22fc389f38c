import { StatusError, serviceUnavailable } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { ApiRequest, ApiResponse, ClusterApi } from '../hosts/host.ts';
import { callerOf, shareOf } from '../http/caller.ts';
import type { Exchange, Handler, Reply } from '../http/exchange.ts';
import { pathSegments, rawPath } from '../http/path-segments.ts';
import { checkDoneBesides } from './done-besides.ts';
import { passAnswer, wholeBody } from './pass-answer.ts';
import { type Passer, requestHeaders, switchedHeaders, upgradeHeaders } from './passed-headers.ts';
import { passedPath } from './passed-path.ts';
import { isSelfReview, narrowedReview } from './self-review.ts';
import type { TargetRoom } from './target-room.ts';

export interface PassOnOptions {
  readonly api: ClusterApi;
  /** What people call it: `the cluster "far"`. */
  readonly name: string;
  /** Segments of the path in front of the cluster's own. */
  readonly depth: number;
  /** In whose name the requests of this caller are made. */
  asWhom(caller: Identity): ApiRequest['as'];
  /** For those that wait for an answer of this cluster. */
  readonly room: TargetRoom;
}

/** One request on its way to the cluster. */
interface Passage extends Pick<PassOnOptions, 'api' | 'name'> {
  readonly exchange: Exchange;
  readonly sent: Pick<ApiRequest, 'method' | 'path' | 'as'>;
  /** The path of the cluster's root at this server. */
  readonly root: string;
  readonly passer: Passer;
}

/**
 * Hands requests to the API of a cluster that is elsewhere, and what it answers back: bodies as they come, both ways, and
 * other protocols as the bytes they are.
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
    if (request.headers.via?.includes(via) === true) throw serviceUnavailable(`${name} leads back to this server`);
    const passage: Passage = { api, name, exchange, sent, root, passer: { auditId: exchange.auditId, via } };
    const leave = options.room.enter(shareOf(caller));
    try {
      const { gate } = caller;
      if (gate !== undefined && isSelfReview(exchange)) {
        return await narrowedReview(exchange, gate, (body) => review(passage, body));
      }
      exchange.place?.handOver();
      if (gate !== undefined) await checkDoneBesides(exchange, gate, () => isThere(passage));
      const isUpgrade = request.upgrade !== undefined && api.upgrade !== undefined;
      return await (isUpgrade ? upgrade(passage) : send(passage));
    } catch (error) {
      const { reason } = exchange.end;
      throw reason instanceof StatusError ? reason : error;
    } finally {
      leave();
    }
  };
}

async function send(passage: Passage): Promise<Reply> {
  const { api, exchange, sent, passer } = passage;
  const { request, signal } = exchange;
  const body = hasBody(exchange) ? { body: request.body } : {};
  const answer = await api.send({ ...sent, headers: requestHeaders(request, passer), ...body, signal });
  return await passAnswer(answer, { ...passage, as: sent.as });
}

async function upgrade(passage: Passage): Promise<Reply> {
  const { api, exchange, sent, root, passer } = passage;
  const { request } = exchange;
  const ending = new AbortController();
  let stands = false;
  exchange.end.follow((reason) => {
    // Where the client has gone, whoever has joined the two sees to the other side: its last words are on their way.
    if (!stands || request.end?.isOver !== true) ending.abort(reason);
  });
  const headers = upgradeHeaders(request, passer);
  const answer = await api.upgrade?.({ ...sent, headers, signal: ending.signal });
  if (answer === undefined) return await send(passage);
  if (!('socket' in answer)) return await passAnswer(answer, { ...passage, as: sent.as });
  stands = true;
  const { socket } = answer;
  ending.signal.addEventListener('abort', () => socket.destroy(), { once: true });
  if (ending.signal.aborted) socket.destroy();
  return { status: 101, headers: switchedHeaders(answer.headers, root), body: { socket } };
}

async function review({ api, exchange, sent, passer }: Passage, body: Uint8Array) {
  exchange.place?.handOver();
  const { request, signal } = exchange;
  const headers = { ...requestHeaders(request, passer), accept: 'application/json', 'accept-encoding': 'identity' };
  const length = { 'content-length': String(body.byteLength) };
  const answer = await api.send({ ...sent, headers: { ...headers, ...length }, body: once(body), signal });
  return { status: answer.status, body: await wholeBody(answer) };
}

async function isThere({ api, exchange, sent }: Passage): Promise<boolean> {
  const path = rawPath(sent.path);
  const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json' };
  const answer: ApiResponse = await api.send({ method: 'GET', path, headers, as: sent.as, signal: exchange.signal });
  await wholeBody(answer);
  return answer.status === 200;
}

const bodiless = new Set(['GET', 'HEAD', 'OPTIONS']);

/** HTTP/2 can send a body without a word about it. */
function hasBody({ request: { method, headers, httpVersion } }: Exchange): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return !/^0*$/.test(length);
  return headers['transfer-encoding'] !== undefined || (httpVersion === '2' && !bodiless.has(method));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
