import { serviceUnavailable } from '../api/status.ts';
import type { ApiRequest, ApiResponse } from '../hosts/host.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import { isLongRunning } from '../http/long-running.ts';
import { withLastWord } from './last-word.ts';
import { answerHeaders } from './passed-headers.ts';

export interface AnswerPassage {
  readonly exchange: Exchange;
  /** In whose name the request was made. */
  readonly as: ApiRequest['as'];
  /** What people call the cluster. */
  readonly name: string;
  /** The path of the cluster's root at this server. */
  readonly root: string;
}

/** Up to this an answer is taken whole: its connection is free at once, however slowly the client reads. */
const longestWhole = 64 * 1024;
/** Where an answer is read here: far more than any review or the metadata of an object has. */
const longestRead = 4 * 1024 * 1024;

/**
 * What a cluster says is said to the client, but for a 401: that is about this server's credentials, and none of the
 * client's business.
 */
export async function passAnswer(answer: ApiResponse, { exchange, as, name, root }: AnswerPassage): Promise<Reply> {
  const { status } = answer;
  // No browser makes a page of what does not say that it is one.
  const headers = { ...answerHeaders(answer.headers, root), 'x-content-type-options': 'nosniff' };
  // An application behind a service has credentials of its own.
  const isOurFault = status === 401 && !('token' in as) && exchange.info.subresource !== 'proxy';
  if (exchange.request.method === 'HEAD' || status === 204 || status === 304 || isOurFault) {
    await wholeBody(answer);
    if (isOurFault) throw serviceUnavailable(`${name} does not take the credentials of this server`, 5);
    return { status, headers, body: { passed: nothing(), lasts: false } };
  }
  const lasts = isLongRunning(exchange);
  const length = Number(answer.headers['content-length'] ?? Number.NaN);
  if (!lasts && length <= longestWhole) return { status, headers, body: await wholeBody(answer) };
  const isWatch = exchange.info.verb === 'watch' && status === 200;
  const passed = isWatch ? withLastWord(answer, exchange.end) : answer.body;
  return { status, headers, body: { passed, lasts } };
}

/** Throws 503 for one that is longer than anybody reads here. */
export async function wholeBody({ body }: ApiResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > longestRead) throw serviceUnavailable('the answer of the cluster is too long');
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
