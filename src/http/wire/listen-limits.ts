/** The limits of one listener. Each limit can be configured. */
export interface ListenLimits {
  /**
   * Size limit of all request headers in bytes. A token with scopes needs about 8 KiB, and impersonated groups need a
   * few KiB more.
   */
  readonly headerBytes: number;
  /** The time in which a client must send all headers. */
  readonly headersMilliseconds: number;
  /** The time in which a client must send the complete request, including its body. */
  readonly requestMilliseconds: number;
  /** The interval at which `headersMilliseconds` and `requestMilliseconds` are checked. */
  readonly checkMilliseconds: number;
  readonly handshakeMilliseconds: number;
  /**
   * Idle connections are closed after this time. It is longer than the 90 seconds after which Go clients close idle
   * connections.
   */
  readonly idleMilliseconds: number;
  /** If a client reads nothing of its pending response for this time, the client is disconnected. */
  readonly stallMilliseconds: number;
  /**
   * Limit on concurrent HTTP/2 streams of one connection, and on pipelined requests of one HTTP/1.1 connection. An
   * informer needs a stream per kind and namespace, and clients may assume that at least 250 are possible.
   */
  readonly streamsPerSession: number;
  /** The interval of HTTP/2 pings. A client that misses four pings in a row is disconnected. */
  readonly pingMilliseconds: number;
  /**
   * Limit on open connections. Above it, the source address with the most idle connections loses its oldest idle
   * connection.
   */
  readonly connections: number;
  /**
   * Limit on concurrent TLS handshakes. Above it, the oldest handshake of the source address with the most handshakes
   * is aborted.
   */
  readonly handshakes: number;
}

export const defaultListenLimits: ListenLimits = {
  headerBytes: 64 * 1024,
  headersMilliseconds: 10_000,
  requestMilliseconds: 60_000,
  checkMilliseconds: 2_000,
  handshakeMilliseconds: 10_000,
  idleMilliseconds: 120_000,
  stallMilliseconds: 60_000,
  streamsPerSession: 1_000,
  pingMilliseconds: 15_000,
  connections: 20_000,
  handshakes: 2_000,
};
