import type { Duplex } from 'node:stream';
import type { Feed } from '../lib/feed.ts';

/** A response as a value: filters can inspect it and add headers before it is written. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[]>;
  /**
   * A string or bytes are sent with Content-Length (and gzip as NEG-20 requires). A stream is written chunk by chunk,
   * each flushed, and never faster than the client reads. A feed returns whole lines, whose bytes are shared with
   * other responses.
   */
  body?: string | Uint8Array | GeneratedBody | StreamBody | ProxiedBody | UpgradedBody;
  /** Awaited between the pieces of a long body. Set by the in-flight filter. */
  nextTimeSlice?: NextTimeSlice;
}

/**
 * Yields the CPU to other callers and resolves when this caller gets its next time slice. Work that takes longer than
 * a few milliseconds awaits it in between; otherwise it blocks every other request until it is done.
 */
export type NextTimeSlice = () => Promise<void>;

/**
 * A long body that is generated while it is written, so that it is never in memory as a whole. It is finite, but its
 * length is not known in advance. If generating it throws, the response is truncated.
 */
export interface GeneratedBody {
  /** Can be iterated once. */
  readonly pieces: Iterable<Uint8Array>;
}

export function isGenerated(reply: Reply): reply is Reply & { body: GeneratedBody } {
  return hasDeferredBody(reply) && 'pieces' in reply.body;
}

export type StreamBody = AsyncIterable<string> | Feed<Uint8Array>;

/**
 * The response body of another server, forwarded as it arrives and never faster than the client reads. The headers of
 * the reply state its length and encoding. If reading it throws, the response is truncated.
 */
export interface ProxiedBody {
  readonly upstream: AsyncIterable<Uint8Array>;
  /** True for a long-running body such as a watch: the head is sent before the first byte, and a drain ends it. */
  readonly isLongRunning: boolean;
}

export function isProxied(reply: Reply): reply is Reply & { body: ProxiedBody } {
  return hasDeferredBody(reply) && (reply.body as Partial<ProxiedBody>).upstream !== undefined;
}

/** The connection behind an upgraded protocol, after `101`. Bytes flow in both directions until one side closes. */
export interface UpgradedBody {
  readonly socket: Duplex;
}

export function isUpgraded(reply: Reply): reply is Reply & { body: UpgradedBody } {
  return hasDeferredBody(reply) && 'socket' in reply.body;
}

export function isFeed(body: StreamBody): body is Feed<Uint8Array> {
  return (body as Partial<Feed<Uint8Array>>).take !== undefined;
}

export function isStream(reply: Reply): reply is Reply & { body: StreamBody } {
  return hasDeferredBody(reply) && (Symbol.asyncIterator in reply.body || isFeed(reply.body as StreamBody));
}

/** True if the body is still produced after the reply is returned. The request's resources must live until it ends. */
export function hasDeferredBody(reply: Reply): reply is Reply & { body: DeferredBody } {
  const { body } = reply;
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

type DeferredBody = Exclude<NonNullable<Reply['body']>, string | Uint8Array>;
