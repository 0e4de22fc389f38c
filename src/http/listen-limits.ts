/** What one listener puts up with. Every number can be set; these are the ones it starts from. */
export interface ListenLimits {
  /** All headers of a request together. Tokens with scopes take 8 KiB, impersonated groups a few more. */
  readonly headerBytes: number;
  /** Until the headers are complete; slower clients hold a connection for nothing. */
  readonly headersMilliseconds: number;
  /** Until the body is complete. */
  readonly requestMilliseconds: number;
  /** How often the two above are looked at. */
  readonly checkMilliseconds: number;
  readonly handshakeMilliseconds: number;
  /** A kept-alive connection without a request. Longer than the 90 s after which Go clients let go by themselves. */
  readonly idleMilliseconds: number;
  /** A reader who takes nothing for so long while there is something to take is gone. */
  readonly stallMilliseconds: number;
  /**
   * Informers open a stream per kind and namespace on one connection; 250 is the least they are promised. Over HTTP/1.1
   * as many may wait for their answers.
   */
  readonly streamsPerSession: number;
  /** How often an HTTP/2 peer is asked whether it is there; one that did not answer four times is cut off. */
  readonly pingMilliseconds: number;
  /** Open at a time. For one more the longest idle one goes, of the source that has most of those. */
  readonly connections: number;
  /** Handshakes under way at a time; for one more the oldest goes, likewise. */
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
