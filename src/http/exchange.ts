import type { Duplex } from 'node:stream';
import type { AuditedBody } from '../audit/audit-body.ts';
import type { Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Feed } from '../lib/feed.ts';
import type { Plane } from './plane.ts';
import type { Presented } from './presented.ts';
import type { RequestEnd } from './request-end.ts';
import type { RequestInfo } from './request-info.ts';
import type { Settlement } from './settlement.ts';

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
  readonly takeWhole?: (announced: number) => Uint8Array | undefined;
  /**
   * Passes on the chunks as they arrive. Equivalent to iterating, and much faster. Resolves at the end of the body.
   * Rejects if the body ends early, or with the error that `take` throws; `take` is not called again after that.
   * Only bodies from a socket have it.
   */
  readonly each?: (take: (chunk: Uint8Array) => void) => Promise<void>;
}

/** A response as a value: filters can inspect it and add headers before it is written. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[]>;
  /**
   * A string or bytes are sent with Content-Length (and gzip as NEG-20 requires). A stream is written chunk by chunk,
   * each flushed, and never faster than the client reads. A feed returns whole lines, whose bytes are shared with
   * other responses.
   */
  body?: string | Uint8Array | PiecedBody | StreamBody | PassedBody | UpgradedBody;
  /** Awaited between the pieces of a long body. Set by the in-flight filter. */
  turn?: Turn;
}

/**
 * Yields the CPU to other callers and resolves when this caller gets its next time slice. Work that takes longer than
 * a few milliseconds awaits it in between; otherwise it blocks every other request until it is done.
 */
export type Turn = () => Promise<void>;

/**
 * A long body that is generated while it is written, so that it is never in memory as a whole. It is finite, but its
 * length is not known in advance. If generating it throws, the response is truncated.
 */
export interface PiecedBody {
  /** Can be iterated once. */
  readonly pieces: Iterable<Uint8Array>;
}

export function isPieced(reply: Reply): reply is Reply & { body: PiecedBody } {
  return goesOn(reply) && 'pieces' in reply.body;
}

export type StreamBody = AsyncIterable<string> | Feed<Uint8Array>;

/**
 * The response body of another server, forwarded as it arrives and never faster than the client reads. The headers of
 * the reply state its length and encoding. If reading it throws, the response is truncated.
 */
export interface PassedBody {
  readonly passed: AsyncIterable<Uint8Array>;
  /** True for a long-running body such as a watch: the head is sent before the first byte, and a drain ends it. */
  readonly lasts: boolean;
}

export function isPassed(reply: Reply): reply is Reply & { body: PassedBody } {
  return goesOn(reply) && (reply.body as Partial<PassedBody>).passed !== undefined;
}

/** The connection behind an upgraded protocol, after `101`. Bytes flow in both directions until one side closes. */
export interface UpgradedBody {
  readonly socket: Duplex;
}

export function isUpgraded(reply: Reply): reply is Reply & { body: UpgradedBody } {
  return goesOn(reply) && 'socket' in reply.body;
}

export function isFeed(body: StreamBody): body is Feed<Uint8Array> {
  return (body as Partial<Feed<Uint8Array>>).take !== undefined;
}

export function isStream(reply: Reply): reply is Reply & { body: StreamBody } {
  return goesOn(reply) && (Symbol.asyncIterator in reply.body || isFeed(reply.body as StreamBody));
}

/** True if the body is still produced after the reply is returned. The request's resources must live until it ends. */
export function goesOn(reply: Reply): reply is Reply & { body: DeferredBody } {
  const { body } = reply;
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

type DeferredBody = Exclude<NonNullable<Reply['body']>, string | Uint8Array>;

/** The in-flight slot of a request. The request can release it while it waits for something other than this server. */
export interface Place {
  /**
   * Releases the slot while the client still sends its body, and acquires a slot again afterwards. `read` reports
   * received bytes through its parameter, which throws if the body budget is exhausted. Throws 429.
   */
  receive<T>(read: (report: (bytes: number) => void) => Promise<T>): Promise<T>;
  /** Releases the slot while `waiting` is pending, and acquires a slot again afterwards. */
  lend<T>(waiting: Promise<T>): Promise<T>;
  /** Releases the slot for good, because another server does the work from now on. */
  handOver(): void;
}

/** One request on its way through the filter chain. Filters store their results in it, so nothing is parsed twice. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly receivedAt: number;
  /** The value of the clock's `elapsed` at `receivedAt`. */
  readonly began: number;
  /** Ends when the client disconnects, the deadline passes, or the caller's access ends. */
  readonly end: RequestEnd;
  /** The signal of `end`. */
  readonly signal: AbortSignal;
  /** Notifies observers of the reply. */
  readonly settlement: Settlement;
  /** The segments of the whole path, decoded. Set by the router; if absent, they are parsed again. */
  segments?: readonly string[] | undefined;
  /** Relative to the control plane that the path belongs to. Set by the request-info filter. */
  info: RequestInfo;
  /** The credential of the request. Set by the source-limit filter. */
  presented?: Presented | undefined;
  /** Set by the authentication filter. */
  identity?: Identity | undefined;
  /** Set by the in-flight filter; absent for the server's own requests. */
  turn?: Turn | undefined;
  /** Set by the in-flight filter; absent for the server's own requests. */
  place?: Place | undefined;
  readonly warnings: string[];
  /** Annotations that admission policies add to the audit event. */
  annotations?: Record<string, string> | undefined;
  /** The request body and the response body for audit, if they are API objects. Set by the handlers. */
  sent?: AuditedBody | undefined;
  answered?: AuditedBody | undefined;
  /** The name of the created object for audit: the path of a create request lacks it. Set by the handler. */
  madeName?: string | undefined;
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
