import type { Duplex } from 'node:stream';
import type { Feed } from '../lib/feed.ts';

/** A response as a value. Filters can inspect it and add headers before it is written to the socket. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[]>;
  /**
   * The response body. A string or a byte array is sent with Content-Length, and compressed as NEG-20 requires. A
   * stream is sent chunk by chunk, and never faster than the client reads. Do not modify the lines of a feed, because
   * other responses may share them.
   */
  body?: string | Uint8Array | GeneratedBody | StreamBody | ProxiedBody | UpgradedBody | TakenOverBody;
  /** Called between the chunks of a long body to wait for the next time slice. Set by the in-flight filter. */
  nextTimeSlice?: NextTimeSlice;
}

/**
 * Lets other callers use the CPU, and resolves when this caller gets its next time slice. Work that takes more than a
 * few milliseconds must repeatedly await this function, because the work would otherwise block all other requests.
 */
export type NextTimeSlice = () => Promise<void>;

/**
 * A long response body that is generated during the write, so that the whole body is never in memory. Its length is not
 * known in advance. If generating it throws, the connection is closed before the end of the body.
 */
export interface GeneratedBody {
  /**
   * The chunks of the body, which can be iterated only once. The iterable is asynchronous if another thread generates
   * the chunks.
   */
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** True if the body of the reply is generated in chunks during the write (`GeneratedBody`). */
export function hasGeneratedBody(reply: Reply): reply is Reply & { body: GeneratedBody } {
  return hasDeferredBody(reply) && (reply.body as Partial<GeneratedBody>).chunks !== undefined;
}

export type StreamBody = AsyncIterable<string> | Feed<Uint8Array>;

/**
 * The response body of another server. It is forwarded when it arrives, and never faster than the client reads. The
 * reply's headers contain its length and encoding. If reading the body throws, the connection to the client is closed
 * before the end of the body.
 */
export interface ProxiedBody {
  readonly upstream: AsyncIterable<Uint8Array>;
  /** True for a long-running body, such as a watch. Its headers are sent immediately, and a server shutdown ends it. */
  readonly isLongRunning: boolean;
}

export function isProxied(reply: Reply): reply is Reply & { body: ProxiedBody } {
  return hasDeferredBody(reply) && (reply.body as Partial<ProxiedBody>).upstream !== undefined;
}

/**
 * The connection to another server after a protocol upgrade (101). Bytes flow both ways until one side closes the
 * connection.
 */
export interface UpgradedBody {
  readonly socket: Duplex;
}

export function isUpgraded(reply: Reply): reply is Reply & { body: UpgradedBody } {
  return hasDeferredBody(reply) && 'socket' in reply.body;
}

/**
 * A handler that uses the client's connection directly, after a protocol upgrade (101) or after a WebSocket handshake.
 * For a WebSocket, the bytes of the connection are the contents of binary messages.
 */
export interface TakenOverBody {
  /** The protocol in the response: the value of the `Upgrade` header, or the subprotocol of the WebSocket. */
  readonly protocol: string;
  /**
   * Called with the connection. Resolves when the connection is closed. Must not reject. Must close the connection when
   * the exchange ends. If only the server shuts down, the requests that use the connection may be completed first.
   */
  takeOver(connection: Duplex): Promise<void>;
}

export function isTakenOver(reply: Reply): reply is Reply & { body: TakenOverBody } {
  return hasDeferredBody(reply) && 'takeOver' in reply.body;
}

export function isFeed(body: StreamBody): body is Feed<Uint8Array> {
  return (body as Partial<Feed<Uint8Array>>).take !== undefined;
}

export function isStream(reply: Reply): reply is Reply & { body: StreamBody } {
  return hasDeferredBody(reply) && (Symbol.asyncIterator in reply.body || isFeed(reply.body as StreamBody));
}

/**
 * True if the body is produced after the handler has returned the reply. The resources of the request must not be
 * released before the end of the body.
 */
export function hasDeferredBody(reply: Reply): reply is Reply & { body: DeferredBody } {
  const { body } = reply;
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

type DeferredBody = Exclude<NonNullable<Reply['body']>, string | Uint8Array>;
