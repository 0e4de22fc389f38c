import type { AuditedBody } from '../audit/redact-body.ts';
import type { Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Plane } from './plane.ts';
import type { NextTimeSlice, Reply } from './reply.ts';
import type { RequestEnd } from './request/request-end.ts';
import type { RequestInfo } from './request/request-info.ts';
import type { RequestCompletion } from './wire/request-completion.ts';

/** A request as handlers see it. It comes from a socket or from inside the process. */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query as sent, still encoded: `/kubernetes/management/apis?timeout=5s`. */
  readonly url: string;
  /** Lower-case names; a header sent several times is joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  readonly remoteAddress: string;
  readonly httpVersion: '1.1' | '2';
  /** True if the client requested a WebSocket. A streaming response is then sent as text frames. */
  readonly webSocket: boolean;
  /** The requested upgrade protocol as sent; `undefined` if there is none. An upgrade request has no body. */
  readonly upgrade?: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** The same event as `signal`, without the cost of an AbortSignal. Only requests from a socket have it. */
  readonly end?: RequestEnd;
}

/** The body of a request. */
export interface RequestBody extends AsyncIterable<Uint8Array> {
  /**
   * Returns the whole body if all of it is buffered already; `undefined` if it is not, or if that is unknown.
   * `announced` is the Content-Length, or 0 if the client sent none.
   */
  readonly takeBuffered?: (announced: number) => Uint8Array | undefined;
  /**
   * Passes on the chunks as they arrive. Equivalent to iterating, and much faster. Resolves at the end of the body.
   * Rejects if the body ends early, or with the error that `take` throws; `take` is not called again after that.
   * Only bodies from a socket have it.
   */
  readonly forEachChunk?: (take: (chunk: Uint8Array) => void) => Promise<void>;
}

/** The credential of a request. */
export interface PresentedCredential {
  readonly token: string;
  /** The fingerprint of the token, which is expensive to compute. */
  readonly fingerprint: string;
  /** False for a session cookie. */
  readonly isBearer: boolean;
}

/** The in-flight slot of a request. The request can release it while it waits for something other than this server. */
export interface InFlightSlot {
  /**
   * Releases the slot while the client still sends its body, and acquires a slot again afterwards. `read` reports
   * received bytes through its parameter, which throws if the body budget is exhausted. Throws 429.
   */
  receive<T>(read: (report: (bytes: number) => void) => Promise<T>): Promise<T>;
  /** Releases the slot while `waiting` is pending, and acquires a slot again afterwards. */
  releaseWhile<T>(waiting: Promise<T>): Promise<T>;
  /** Releases the slot for good, because another server does the work from now on. */
  release(): void;
}

/** One request on its way through the filter chain. Filters store their results in it, so nothing is parsed twice. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly receivedAt: number;
  /** The value of the clock's `elapsed` at `receivedAt`. */
  readonly receivedElapsed: number;
  /** Ends when the client disconnects, the deadline passes, or the caller's access ends. */
  readonly end: RequestEnd;
  /** The signal of `end`. */
  readonly signal: AbortSignal;
  /** Notifies observers of the reply. */
  readonly completion: RequestCompletion;
  /** The segments of the whole path, decoded. Set by the router; if absent, they are parsed again. */
  segments?: readonly string[] | undefined;
  /** Relative to the control plane that the path belongs to. Set by the request-info filter. */
  info: RequestInfo;
  /** The credential of the request. Set by the source-limit filter. */
  credential?: PresentedCredential | undefined;
  /** Set by the authentication filter. */
  identity?: Identity | undefined;
  /** Set by the in-flight filter; absent for the server's own requests. */
  nextTimeSlice?: NextTimeSlice | undefined;
  /** Set by the in-flight filter; absent for the server's own requests. */
  inFlightSlot?: InFlightSlot | undefined;
  readonly warnings: string[];
  /** Annotations that admission policies add to the audit event. */
  annotations?: Record<string, string> | undefined;
  /** The request body and the response body for audit, if they are API objects. Set by the handlers. */
  auditedRequest?: AuditedBody | undefined;
  auditedResponse?: AuditedBody | undefined;
  /** The name of the created object for audit: the path of a create request lacks it. Set by the handler. */
  createdName?: string | undefined;
  /** The authorization decision, for audit and metrics. */
  decision?: Decision | undefined;
  /** The target plane, set by a gateway for metrics; `null` if the target is not in this process. */
  plane?: Plane | null | undefined;
}

export type Handler = (exchange: Exchange) => Promise<Reply>;
/**
 * A step of the filter chain, outermost first. A filter returns a reply itself or passes the exchange to `next`. A
 * filter that only observes the reply uses the exchange's completion: each filter that awaits the reply costs every
 * request a promise and a microtask.
 */
export type Filter = (exchange: Exchange, next: Handler) => Promise<Reply>;

export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (exchange) => filter(exchange, next), handler);
}
