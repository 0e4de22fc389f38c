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

/** A request as the handlers see it, whether it came over a socket or from inside the process. */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query as sent, still encoded: `/kubernetes/management/apis?timeout=5s`. */
  readonly url: string;
  /** Lower-case names; a header sent several times is joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  readonly remoteAddress: string;
  readonly httpVersion: '1.1' | '2';
  /** The client asked for a WebSocket; the answer's stream, if it is one, goes out as text frames. */
  readonly webSocket: boolean;
  /** The protocol that the client wants to go on with, as sent; absent: none. Such a request has no body. */
  readonly upgrade?: string;
  /** Fires when the client goes away. */
  readonly signal: AbortSignal;
  /** What the signal tells, without the signal. Only requests that came over a socket have it. */
  readonly end?: RequestEnd;
}

/** What the client sends. */
export interface RequestBody extends AsyncIterable<Uint8Array> {
  /**
   * All of it, where that has come already and nobody has to wait; undefined: it has not, or that cannot be told.
   * `announced`: the length that it was announced with, 0 where it was not.
   */
  readonly takeWhole?: (announced: number) => Uint8Array | undefined;
  /**
   * Hands over the pieces as they come, the same as iterating does and much quicker. Resolves at the end of the body;
   * rejects when that will not come, and with what `take` throws, which gets nothing more then. Bodies that came over
   * a socket have it.
   */
  readonly each?: (take: (chunk: Uint8Array) => void) => Promise<void>;
}

/** An answer as a value: filters may look at it and add headers before it is written. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[]>;
  /**
   * A string or bytes are sent with Content-Length (and gzip where NEG-20 says so); a stream is written chunk by
   * chunk, each flushed, never faster than the client reads. A feed gives whole lines, whose bytes belong to others too.
   */
  body?: string | Uint8Array | PiecedBody | StreamBody | PassedBody | UpgradedBody;
  /** Awaited between the pieces of a long body. Set by the in-flight filter. */
  turn?: Turn;
}

/**
 * Lets others have the processor, and resolves when it is this caller's turn again: what works for longer than a few
 * milliseconds awaits it in between, or all others would wait until it is done.
 */
export type Turn = () => Promise<void>;

/**
 * A long body that is made while it is written, so that it is never in memory as a whole. It has an end, but its length
 * is not known before. What throws in the middle breaks the answer off.
 */
export interface PiecedBody {
  /** To be gone through once. */
  readonly pieces: Iterable<Uint8Array>;
}

export function isPieced(reply: Reply): reply is Reply & { body: PiecedBody } {
  return goesOn(reply) && 'pieces' in reply.body;
}

export type StreamBody = AsyncIterable<string> | Feed<Uint8Array>;

/**
 * What another server answers, as it comes and never faster than the client reads. Its length and its packing are as the
 * headers say. What throws in the middle breaks the answer off.
 */
export interface PassedBody {
  readonly passed: AsyncIterable<Uint8Array>;
  /** It is meant to go on, as a watch is: the client has the head before the first byte, and a drain ends it. */
  readonly lasts: boolean;
}

export function isPassed(reply: Reply): reply is Reply & { body: PassedBody } {
  return goesOn(reply) && 'passed' in reply.body;
}

/** After `101`: what is behind the other protocol. Bytes go both ways until one side ends it. */
export interface UpgradedBody {
  readonly socket: Duplex;
}

export function isUpgraded(reply: Reply): reply is Reply & { body: UpgradedBody } {
  return goesOn(reply) && 'socket' in reply.body;
}

export function isFeed(body: StreamBody): body is Feed<Uint8Array> {
  return 'take' in body;
}

export function isStream(reply: Reply): reply is Reply & { body: StreamBody } {
  return goesOn(reply) && (Symbol.asyncIterator in reply.body || 'take' in reply.body);
}

/** True if the answer goes on after it stands: what belongs to its request must then last as long as it does. */
export function goesOn(reply: Reply): reply is Reply & { body: LastingBody } {
  const { body } = reply;
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

type LastingBody = Exclude<NonNullable<Reply['body']>, string | Uint8Array>;

/** The place of a request among those at work, which others may have while it waits for what is no work of this server's. */
export interface Place {
  /**
   * Waits for what the client still sends without the place, and takes one again when it is there. `read` tells of the
   * bytes as they come; telling throws where there is no room for them. Throws 429.
   */
  receive<T>(read: (tell: (bytes: number) => void) => Promise<T>): Promise<T>;
  /** The same for whatever else is no work of this server's. */
  lend<T>(waiting: Promise<T>): Promise<T>;
  /** Gives it to others for good: from now on it is another server that works. */
  handOver(): void;
}

/** One request on its way through the chain. Filters fill in what they find out; nobody parses anything twice. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly receivedAt: number;
  /** The same by the clock's `elapsed`. */
  readonly began: number;
  /** When the client goes away, the deadline passes, or the identity's right to be here ends. */
  readonly end: RequestEnd;
  /** The signal of `end`. */
  readonly signal: AbortSignal;
  /** What comes of it, for those who only want to know. */
  readonly settlement: Settlement;
  /** The whole path, cut and decoded. Set by the router; whoever makes an exchange without it leaves it to be cut again. */
  segments?: readonly string[] | undefined;
  /** Of the control plane that the path lies in; set by the request-info filter. */
  info: RequestInfo;
  /** The credential that it came with. Set by the source-limit filter. */
  presented?: Presented | undefined;
  /** Set by the authentication filter. */
  identity?: Identity | undefined;
  /** Set by the in-flight filter; absent for the server's own work. */
  turn?: Turn | undefined;
  /** Set by the in-flight filter; absent for the server's own work. */
  place?: Place | undefined;
  readonly warnings: string[];
  /** What policies have to say of the request, for audit. */
  annotations?: Record<string, string> | undefined;
  /** What was sent and what is answered, where that is an object of a kind: for audit. Set by the handlers. */
  sent?: AuditedBody | undefined;
  answered?: AuditedBody | undefined;
  /** The name of what was made, which the path of a creation does not tell: for audit. Set by the handler. */
  madeName?: string | undefined;
  /** What audit and metrics want to know of the decision. */
  decision?: Decision | undefined;
  /** Told by a gateway, for metrics: the plane that it is for; null: none of this process. */
  plane?: Plane | null | undefined;
}

export type Handler = (exchange: Exchange) => Promise<Reply>;
/**
 * Outermost first in the chain. A filter answers itself or hands the exchange to the `next`. Who only has to know what
 * came of it follows the settlement: each filter that awaits the answer costs every request a promise and its own turn.
 */
export type Filter = (exchange: Exchange, next: Handler) => Promise<Reply>;

export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (exchange) => filter(exchange, next), handler);
}
