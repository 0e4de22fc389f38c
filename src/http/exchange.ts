import type { AuditLevel } from '../audit/audit-policy.ts';
import type { AuditedBody } from '../audit/redact-body.ts';
import type { Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Span } from '../lib/trace/span.ts';
import type { RequestContext } from '../registry/context.ts';
import { AuditAnnotations } from './audit-annotations.ts';
import type { RefusalConfirmation } from './filters/refusal-confirmation.ts';
import type { ServedResources } from './plane.ts';
import type { NextTimeSlice, Reply } from './reply.ts';
import type { RequestEnd } from './request/request-end.ts';
import type { RequestInfo } from './request/request-info.ts';
import type { RequestCompletion } from './wire/request-completion.ts';

/** A request for a handler: received from a socket, or sent by the server to itself inside the process. */
export interface IncomingRequest {
  readonly method: string;
  /** The path and query as the client sent them, percent-encoded: `/kubernetes/management/apis?timeout=5s`. */
  readonly url: string;
  /** The request headers with lower-case names. The values of a repeated header are joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  /**
   * The address of the client. Behind trusted proxies, it is the address that the proxies report; '' if it cannot be
   * read.
   */
  remoteAddress: string;
  readonly httpVersion: '1.1' | '2';
  /** Identifies the HTTP/2 connection. Absent for HTTP/1.1, where a connection serves one request at a time. */
  readonly connection?: object | undefined;
  /** True if the client requested a WebSocket. The chunks of a streaming response are then sent as text frames. */
  readonly webSocket: boolean;
  /** The protocol of an upgrade request, as the client sent it; `undefined` for other requests. */
  readonly upgrade?: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * Ends when the client disconnects, like `signal`, but takes less time and memory to create. Present only for
   * requests from a socket.
   */
  readonly end?: RequestEnd;
}

/** The body of a request. Iterating over it yields its chunks. */
export interface RequestBody extends AsyncIterable<Uint8Array> {
  /**
   * Returns the whole body if it has already been received completely, otherwise `undefined`. `announced` is the value
   * of Content-Length, or 0 if the client sent none.
   */
  readonly takeBuffered?: (announced: number) => Uint8Array | undefined;
  /**
   * Calls `take` with each chunk when the chunk arrives. Faster than iterating. Resolves at the end of the body.
   * Rejects if the body ends too early. If `take` throws, rejects with that error and does not call `take` again. Only
   * bodies of requests from a socket have this function.
   */
  readonly forEachChunk?: (take: (chunk: Uint8Array) => void) => Promise<void>;
}

/** The credential that a client sent with a request, before authentication. */
export interface PresentedCredential {
  readonly token: string;
  /** A hash of the token. It is stored because computing it is expensive. */
  readonly fingerprint: string;
  /** True for a token in the Authorization header, false for a session cookie. */
  readonly isBearer: boolean;
}

/**
 * The in-flight slot of a request. The request can release the slot before it waits for a client or for another server.
 */
export interface InFlightSlot {
  /**
   * Releases the slot, receives the body from the client with `read`, and then acquires a slot again. `read` must
   * report received bytes by calling its parameter, which throws if the body budget is exhausted. Throws 429 if no slot
   * is free.
   */
  receive<T>(read: (report: (bytes: number) => void) => Promise<T>): Promise<T>;
  /** Releases the slot until the promise `waiting` settles, and acquires a slot afterwards. */
  releaseWhile<T>(waiting: Promise<T>): Promise<T>;
  /** Releases the slot for the remainder of the request, because another server does the work from now on. */
  release(): void;
}

/** The state of one request in the filter chain. Filters store their results in it, so that nothing is parsed twice. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly receivedAt: number;
  /** The value of the monotonic clock when the request was received (`receivedAt`), for measuring durations. */
  readonly receivedElapsed: number;
  /** Ends when the client disconnects, the deadline passes, or the caller's credential becomes invalid. */
  readonly end: RequestEnd;
  /** An AbortSignal that aborts when the request ends (`end`). */
  readonly signal: AbortSignal;
  /** Notifies its listeners of the final response. */
  readonly completion: RequestCompletion;
  /**
   * The decoded segments of the whole path. Set by the router. If they are `undefined`, code that needs segments parses
   * `request.url`.
   */
  segments?: readonly string[] | undefined;
  /** Verb, resource and path, relative to the mount of the control plane. Set by the request-info filter. */
  info: RequestInfo;
  /** The project of the instance that the request addresses. Set by the gateway of projects. */
  project?: string | undefined;
  /** The credential that the client sent. Set by the source-limit filter. */
  credential?: PresentedCredential | undefined;
  /**
   * The result of `ownTokenDigest` on the thread that received the request. Set if that thread forwarded the request,
   * because it does not forward the token.
   */
  forwardedTokenDigest?: string | undefined;
  /** The authenticated caller. Set by the authentication filter; the impersonation filter replaces it. */
  identity?: Identity | undefined;
  /**
   * Checks refusals of this request against the current state. Set by the authentication filter if other processes
   * write to the store.
   */
  confirmation?: RefusalConfirmation | undefined;
  /**
   * A store revision that the caches of the serving plane reached after the request arrived. If it is set, the handlers
   * of verbs need not determine such a revision themselves. Set before authorization if other processes write to the
   * store.
   */
  freshRevision?: number | undefined;
  /**
   * Waits for the request's next share of CPU time. Set by the in-flight filter, except for the server's own requests.
   */
  nextTimeSlice?: NextTimeSlice | undefined;
  /** The in-flight slot of the request. Set by the in-flight filter, except for the server's own requests. */
  inFlightSlot?: InFlightSlot | undefined;
  /**
   * The check that runs in each transaction of a request from background work (`RequestContext.fence`). Never set for a
   * request from a client.
   */
  fence?: RequestContext['fence'] | undefined;
  /** The span of the request. Set by the trace filter; `undefined` if the request is not traced. */
  span?: Span | undefined;
  /**
   * The `traceparent` header to forward instead of the client's header if this server does not trace the request. It
   * marks the request as not sampled. Set by the trace filter; `undefined` if the client's header is forwarded
   * unchanged.
   */
  unsampledParent?: string | undefined;
  readonly warnings: string[];
  /** The annotations of the audit event of the request. Absent if it has none. */
  annotations?: AuditAnnotations | undefined;
  /**
   * The highest level that the audit event of the request can have. Set by the audit filter if any rule of the audit
   * policy includes bodies. A worker thread that executes the request omits the bodies that this level does not
   * include.
   */
  auditLevel?: AuditLevel | undefined;
  /** The request body and the response body for the audit log, if they are API objects. Set by the handlers. */
  auditedRequest?: AuditedBody | undefined;
  auditedResponse?: AuditedBody | undefined;
  /** The URL for the audit log, if the URL of the request contains secrets. Set by the handlers. */
  auditedUrl?: string | undefined;
  /** The name of the created object, for the audit log. The path of a create request does not contain it. */
  createdName?: string | undefined;
  /** The authorization decision about the request, for the audit log and metrics. */
  decision?: Decision | undefined;
  /** The plane that serves a request to the gateway, for metrics; `null` if another process serves this request. */
  plane?: ServedResources | null | undefined;
}

/** Marks the request as a dry run in its audit event. */
export function markDryRun(exchange: Exchange): void {
  auditAnnotationsOf(exchange).markDryRun();
}

/** Returns the annotations of the audit event of the request, so that the caller can add to them. */
export function auditAnnotationsOf(exchange: Exchange): AuditAnnotations {
  exchange.annotations ??= new AuditAnnotations();
  return exchange.annotations;
}

export type Handler = (exchange: Exchange) => Promise<Reply>;
/**
 * A step of the filter chain. It either returns a response itself or calls `next`, which runs the inner filters and the
 * handler. A filter that only observes the response uses `exchange.completion` instead of awaiting `next`, because each
 * await adds a promise and a microtask to every request.
 */
export type Filter = (exchange: Exchange, next: Handler) => Promise<Reply>;

/** A filter without effect, for a limit that is switched off. */
export const passThrough: Filter = (exchange, next) => next(exchange);

export function composeFilters(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (exchange) => filter(exchange, next), handler);
}
