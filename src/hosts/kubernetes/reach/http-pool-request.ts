import type { RawHeaders } from './request-headers.ts';

export interface HttpPoolRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: RawHeaders;
  readonly body?: AsyncIterable<Uint8Array>;
  /** The length of the body in bytes; `undefined` if it is unknown. */
  readonly length?: number | undefined;
  readonly signal: AbortSignal;
}
