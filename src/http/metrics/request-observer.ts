import type { Exchange, Filter, Reply } from '../exchange.ts';
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
    metrics.answered(labels, reply.status, milliseconds / 1000, sizeOf(reply));
    if (terminatedCodes.has(reply.status)) metrics.terminated(labels, reply.status);
    if (exchange.request.signal.aborted) metrics.aborted(labels);
    if (isStream(reply.body)) reply.body = counted(reply.body, labels, metrics);
  };
}

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Puts a count around the filter that bounds what is at work: what waits for its turn is not at work yet. */
export function countInFlight(metrics: Metrics, bound: Filter): Filter {
  return (exchange, next) =>
    bound(exchange, async () => {
      const landed = metrics.inFlight(readMethods.has(exchange.request.method) ? 'readOnly' : 'mutating');
      try {
        return await next();
      } finally {
        landed();
      }
    });
}

/** Passes a stream on and counts what goes by; the stream is open from the moment it is read. */
async function* counted(
  stream: AsyncIterable<string>,
  labels: RequestLabels,
  metrics: Metrics,
): AsyncGenerator<string, void, undefined> {
  const ended = metrics.longRunning(labels);
  try {
    for await (const chunk of stream) {
      if (labels.verb === 'WATCH') metrics.watchEvents(labels, lines(chunk), Buffer.byteLength(chunk));
      yield chunk;
    }
  } finally {
    ended();
  }
}

function lines(chunk: string): number {
  let count = 0;
  for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) count++;
  return count;
}

function sizeOf({ body }: Reply): number | undefined {
  if (body === undefined) return 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.length : undefined;
}

function isStream(body: Reply['body']): body is AsyncIterable<string> {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}
