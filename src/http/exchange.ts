import type { Identity } from '../auth/identity.ts';
import type { RequestInfo } from './request-info.ts';

/** A request as the handlers see it, whether it came over a socket or from inside the process. */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query as sent, still encoded: `/kubernetes/management/apis?timeout=5s`. */
  readonly url: string;
  /** Lower-case names; a header sent several times is joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly remoteAddress: string;
  readonly httpVersion: '1.1' | '2';
  /** The client asked for a WebSocket; the answer's stream, if it is one, goes out as text frames. */
  readonly webSocket: boolean;
  /** Fires when the client goes away. */
  readonly signal: AbortSignal;
}

/** An answer as a value: filters may look at it and add headers before it is written. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[]>;
  /**
   * A string or bytes are sent with Content-Length (and gzip where NEG-20 says so); a stream is written chunk by
   * chunk, each flushed, never faster than the client reads.
   */
  body?: string | Uint8Array | AsyncIterable<string>;
}

/** True if the answer goes on after it stands: what belongs to its request must then last as long as it does. */
export function isStream(reply: Reply): reply is Reply & { body: AsyncIterable<string> } {
  return typeof reply.body === 'object' && !(reply.body instanceof Uint8Array);
}

/** One request on its way through the chain. Filters fill in what they find out; nobody parses anything twice. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly url: URL;
  readonly auditId: string;
  readonly receivedAt: number;
  /** Fires when the client goes away, the deadline passes, or the identity's right to be here ends. */
  signal: AbortSignal;
  /** Of the control plane that the path lies in; set by the request-info filter. */
  info: RequestInfo;
  /** Set by the authentication filter. */
  identity?: Identity;
  readonly warnings: string[];
  /** What audit and metrics want to know of the decision. */
  decision?: { allowed: boolean; reason: string };
}

export type Handler = (exchange: Exchange) => Promise<Reply>;
/** Outermost first in the chain. A filter answers itself or awaits `next()`. */
export type Filter = (exchange: Exchange, next: () => Promise<Reply>) => Promise<Reply>;

export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return (exchange) => {
    const run = (index: number): Promise<Reply> => {
      const filter = filters[index];
      return filter === undefined ? handler(exchange) : filter(exchange, () => run(index + 1));
    };
    return run(0);
  };
}
