import type { Feed } from '../../lib/feed.ts';
import {
  type Exchange,
  type IncomingRequest,
  isFeed,
  isPassed,
  isPieced,
  isStream,
  isUpgraded,
  type Reply,
} from '../exchange.ts';
import type { Plane } from '../plane.ts';
import type { Metrics } from './create-metrics.ts';
import { RequestLabeller, type RequestLabels } from './request-labels.ts';

/** Refused to protect the server, or given up: too many, no time, not ready. */
const terminatedCodes = new Set([429, 503, 504]);

interface RequestObserverOptions {
  readonly metrics: Metrics;
  /** The control plane that the request is for; undefined: its path lies in none. */
  planeOf(exchange: Exchange): Plane | undefined;
}

/** Counts answers, errors among them: what the chain calls `onComplete`. A stream is counted while it runs. */
export function requestObserver({ metrics, planeOf }: RequestObserverOptions) {
  const labeller = new RequestLabeller();
  return (exchange: Exchange, reply: Reply, milliseconds: number): void => {
    const labels = labeller.label(exchange, planeOf(exchange));
    // It is sent as bytes, and to count them takes as long as to make them.
    if (typeof reply.body === 'string') reply.body = Buffer.from(reply.body);
    metrics.answered(labels, reply.status, milliseconds / 1000, sizeOf(reply));
    if (terminatedCodes.has(reply.status)) metrics.terminated(labels, reply.status);
    if (hasLeft(exchange.request)) metrics.aborted(labels);
    if (isPieced(reply)) {
      reply.body = { pieces: measured(reply.body.pieces, (bytes) => metrics.sent(labels, bytes)) };
      return;
    }
    if (isPassed(reply)) {
      const { passed, lasts } = reply.body;
      const began = () => (lasts ? metrics.longRunning(labels) : () => {});
      reply.body = { passed: passing(passed, began, (bytes) => metrics.sent(labels, bytes)), lasts };
      return;
    }
    if (isUpgraded(reply)) {
      const ended = metrics.longRunning(labels);
      reply.body.socket.once('close', () => ended());
      return;
    }
    if (!isStream(reply)) return;
    const { body } = reply;
    reply.body = isFeed(body) ? new CountedFeed(body, labels, metrics) : counted(body, labels, metrics);
  };
}

/** Passes a stream on and counts what goes by; the stream is open from the moment it is read. */
async function* counted(
  stream: AsyncIterable<string>,
  labels: RequestLabels,
  metrics: Metrics,
): AsyncGenerator<string, void, undefined> {
  const ended = metrics.longRunning(labels);
  try {
    yield* stream;
  } finally {
    ended();
  }
}

/** The same for a watch, where each line is an event. A class, as each stream has one and all are read at one place. */
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

  get over(): boolean {
    return this.#feed.over;
  }

  take(): Uint8Array | undefined {
    this.#ended ??= this.#metrics.longRunning(this.#labels);
    const line = this.#feed.take();
    if (line !== undefined) {
      this.#count ??= this.#metrics.watchEvents(this.#labels);
      this.#count(line.length);
    } else if (this.#feed.over) this.#ended();
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

/** Tells how much it was when it is over, whichever way it ends. */
function* measured(pieces: Iterable<Uint8Array>, tell: (bytes: number) => void): Generator<Uint8Array> {
  let bytes = 0;
  try {
    for (const piece of pieces) {
      bytes += piece.byteLength;
      yield piece;
    }
  } finally {
    tell(bytes);
  }
}

async function* passing(
  chunks: AsyncIterable<Uint8Array>,
  began: () => () => void,
  tell: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const ended = began();
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  } finally {
    tell(bytes);
    ended();
  }
}

function sizeOf({ body }: Reply): number | undefined {
  if (body === undefined) return 0;
  return body instanceof Uint8Array ? body.length : undefined;
}

/** Does not ask for the signal where that would have to be made. */
function hasLeft(request: IncomingRequest): boolean {
  return request.end?.isOver ?? request.signal.aborted;
}
