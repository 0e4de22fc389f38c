/** The limits of one listener. Each can be configured. */
export interface ListenLimits {
  /** The total size of a request's headers. Tokens with scopes take 8 KiB, impersonated groups a few more. */
  readonly headerBytes: number;
  /** The time until the headers are complete. */
  readonly headersMilliseconds: number;
  /** The time until the body is complete. */
  readonly requestMilliseconds: number;
  /** The interval at which the two timeouts above are checked. */
  readonly checkMilliseconds: number;
  readonly handshakeMilliseconds: number;
  /** The idle timeout of a kept-alive connection. Longer than the 90 s after which Go clients close it themselves. */
  readonly idleMilliseconds: number;
  /** The time after which a client that reads nothing of its pending data is disconnected. */
  readonly stallMilliseconds: number;
  /**
   * The number of concurrent HTTP/2 streams of a connection, and of pipelined requests over HTTP/1.1. Informers open a
   * stream per kind and namespace; clients may rely on at least 250.
   */
  readonly streamsPerSession: number;
  /** The interval of HTTP/2 pings. A peer that misses four in a row is disconnected. */
  readonly pingMilliseconds: number;
  /** Open connections. Beyond the limit, the longest idle one of the source with the most idle ones is closed. */
  readonly connections: number;
  /** Concurrent TLS handshakes. Beyond the limit, the oldest one of the source with the most handshakes is closed. */
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
