/** One malformed or hostile request. */
export interface BadRequest {
  /** The name of the group of this request, for the report. */
  readonly family: string;
  readonly method: string;
  readonly target: string;
  /** Headers in addition to Host, Authorization and Content-Length. On conflict, these headers win. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The complete request, if it cannot be built from the fields above. */
  readonly raw?: Buffer;
  /** True if the request is incomplete: the sending side is closed after it. */
  readonly halfway?: boolean;
  /** True if the server may close the connection without a response, because the bytes are not HTTP, or incomplete. */
  readonly mayBeDropped?: boolean;
  /** True if the server must refuse the request with 4xx (or 501). Otherwise the request may be harmless. */
  readonly refused: boolean;
}

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

export interface Sending {
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly refused?: boolean;
}

/** A request whose body is this text or these bytes. */
export function sending(
  family: string,
  method: string,
  target: string,
  body: string | Buffer | undefined,
  { type = 'application/json', headers = {}, refused = false }: Sending = {},
): BadRequest {
  return {
    family,
    method,
    target,
    headers: { ...(body === undefined ? {} : { 'Content-Type': type }), ...headers },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
    refused,
  };
}

export function withQuery(target: string, ...more: string[]): string {
  return more.reduce((whole, part) => `${whole}${whole.includes('?') ? '&' : '?'}${part}`, target);
}

export const dryRunQuery = 'dryRun=All';
