import type { Feed } from '../../lib/feed.ts';
import type { Exchange, IncomingRequest } from '../exchange.ts';
import type { ServedResources } from '../plane.ts';
import { hasGeneratedBody, isFeed, isProxied, isStream, isTakenOver, isUpgraded, type Reply } from '../reply.ts';
import type { Metrics } from './create-metrics.ts';
import { RequestLabeler, type RequestLabels } from './request-labels.ts';

/** Response codes of requests that the server rejected to protect itself, or that it terminated. */
const terminatedCodes = new Set([429, 503, 504]);

interface RequestObserverOptions {
  readonly metrics: Metrics;
  /** Returns the control plane that serves the request; `undefined` if the path belongs to none. */
  planeOf(exchange: Exchange): ServedResources | undefined;
}

/**
 * Creates the `onComplete` function of a filter chain. The function records responses, errors and open streams in
 * metrics.
 */
export function requestObserver({ metrics, planeOf }: RequestObserverOptions) {
  const labeller = new RequestLabeler();
  return (exchange: Exchange, reply: Reply, milliseconds: number): void => {
    const labels = labeller.label(exchange, planeOf(exchange));
    // Encode the text here, because the metrics need the length in bytes, and counting bytes takes as long as encoding.
    if (typeof reply.body === 'string') reply.body = Buffer.from(reply.body);
    metrics.recordResponse(labels, reply.status, milliseconds / 1000, sizeOf(reply));
    if (terminatedCodes.has(reply.status)) metrics.recordTermination(labels, reply.status);
    if (hasDisconnected(exchange.request)) metrics.recordAbort(labels);
    if (hasGeneratedBody(reply)) {
      const { chunks } = reply.body;
      const report = (bytes: number) => metrics.recordResponseSize(labels, bytes);
      const isAsync = Symbol.asyncIterator in chunks;
      reply.body = { chunks: isAsync ? measuredAsync(chunks, () => () => {}, report) : measured(chunks, report) };
      return;
    }
    if (isProxied(reply)) {
      const { upstream, isLongRunning } = reply.body;
      const began = () => (isLongRunning ? metrics.trackLongRunning(labels) : () => {});
      reply.body = {
        upstream: measuredAsync(upstream, began, (bytes) => metrics.recordResponseSize(labels, bytes)),
        isLongRunning,
      };
      return;
    }
    if (isUpgraded(reply)) {
      const ended = metrics.trackLongRunning(labels);
      reply.body.socket.once('close', () => ended());
      return;
    }
    if (isTakenOver(reply)) {
      const { body } = reply;
      const ended = metrics.trackLongRunning(labels);
      const takeOver: typeof body.takeOver = (connection) => body.takeOver(connection).finally(ended);
      reply.body = { protocol: body.protocol, takeOver };
      return;
    }
    if (!isStream(reply)) return;
    const { body } = reply;
    reply.body = isFeed(body) ? new CountedFeed(body, labels, metrics) : counted(body, labels, metrics);
  };
}

/**
 * Yields the chunks of a stream and counts the stream as an open long-running request from the first read to the end.
 */
async function* counted(
  stream: AsyncIterable<string>,
  labels: RequestLabels,
  metrics: Metrics,
): AsyncGenerator<string, void, undefined> {
  const ended = metrics.trackLongRunning(labels);
  try {
    yield* stream;
  } finally {
    ended();
  }
}

/**
 * Forwards a watch and counts the watch and its events. It is a class, because V8 gives all instances of a class one
 * shared hidden class, but each object literal a separate one.
 */
class CountedFeed implements Feed<Uint8Array> {
  readonly #feed: Feed<Uint8Array>;
  readonly #labels: RequestLabels;
  readonly #metrics: Metrics;
  #ended: (() => void) | undefined;
  #count: ((bytes: number) => void) | undefined;

  constructor(feed: Feed<Uint8Array>, labels: RequestLabels, metrics: Metrics) {
    this.#feed = feed;
    this.#labels = labels;
    this.#metrics = metrics;
  }

  get isEnded(): boolean {
    return this.#feed.isEnded;
  }

  take(): Uint8Array | undefined {
    this.#ended ??= this.#metrics.trackLongRunning(this.#labels);
    const line = this.#feed.take();
    if (line !== undefined) {
      this.#count ??= this.#metrics.watchEventRecorder(this.#labels);
      this.#count(line.length);
    } else if (this.#feed.isEnded) this.#ended();
    return line;
  }

  wait(wake: () => void): void {
    this.#feed.wait(wake);
  }

  close(): void {
    this.#feed.close();
    this.#ended?.();
  }
}

/** Yields the chunks of a body. Calls `report` with their total size at the end or after an error. */
function* measured(chunks: Iterable<Uint8Array>, report: (bytes: number) => void): Generator<Uint8Array> {
  let bytes = 0;
  try {
    for (const chunk of chunks) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  } finally {
    report(bytes);
  }
}

async function* measuredAsync(
  chunks: AsyncIterable<Uint8Array>,
  began: () => () => void,
  report: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const ended = began();
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  } finally {
    report(bytes);
    ended();
  }
}

function sizeOf({ body }: Reply): number | undefined {
  if (body === undefined) return 0;
  return body instanceof Uint8Array ? body.length : undefined;
}

/**
 * True if the client has disconnected. Uses `end` if possible, because reading `signal` would create an AbortSignal.
 */
function hasDisconnected(request: IncomingRequest): boolean {
  return request.end?.hasEnded ?? request.signal.aborted;
}
