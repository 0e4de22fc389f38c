import { serviceUnavailable } from '../../api/status.ts';
import type { ApiRequest, ApiResponse } from '../../hosts/host.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { isLongRunning } from '../../http/request/long-running.ts';
import { endWatchWithStatus } from '../watch-termination.ts';
import { returnedResponseHeaders } from './forwarded-headers.ts';

export interface ForwardResponseOptions {
  readonly exchange: Exchange;
  /** The credential with which the request was sent to the cluster. */
  readonly as: ApiRequest['as'];
  /** The name of the cluster in error messages, for example `the cluster "far"`. */
  readonly name: string;
  /** The path at which this server serves the cluster. */
  readonly root: string;
}

/** Responses up to this size are buffered, so that a client that reads slowly does not occupy the connection. */
const maxBuffered = 64 * 1024;
/** Maximum size of a response that this server parses itself. Reviews and object metadata are far smaller. */
const maxRead = 4 * 1024 * 1024;

/**
 * Forwards a cluster's response to the client. A 401 is not forwarded but becomes a 503, because the cluster rejected
 * this server's credential and not the client's.
 */
export async function forwardResponse(
  response: ApiResponse,
  { exchange, as, name, root }: ForwardResponseOptions,
): Promise<Reply> {
  const { status } = response;
  // `nosniff` prevents browsers from guessing a content type and showing the response as a web page.
  const headers = { ...returnedResponseHeaders(response.headers, root), 'x-content-type-options': 'nosniff' };
  // With the subresource `proxy`, a 401 comes from the application behind a pod or service, so it concerns the client.
  const rejectsServer = status === 401 && !('token' in as) && exchange.info.subresource !== 'proxy';
  if (exchange.request.method === 'HEAD' || status === 204 || status === 304 || rejectsServer) {
    await readWholeBody(response);
    if (rejectsServer) throw serviceUnavailable(`${name} rejected the credentials of this server`, 5);
    return { status, headers, body: { upstream: emptyBody(), isLongRunning: false } };
  }
  const lasts = isLongRunning(exchange);
  const length = Number(response.headers['content-length'] ?? Number.NaN);
  if (!lasts && length <= maxBuffered) return { status, headers, body: await readWholeBody(response) };
  const isWatch = exchange.info.verb === 'watch' && status === 200;
  const passed = isWatch ? endWatchWithStatus(response, exchange.end) : response.body;
  return { status, headers, body: { upstream: passed, isLongRunning: lasts } };
}

/** Returns the whole body of a response. Throws 503 if it exceeds the limit. */
export async function readWholeBody({ body }: ApiResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > maxRead) throw serviceUnavailable('the response of the cluster exceeds 4 MiB');
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
