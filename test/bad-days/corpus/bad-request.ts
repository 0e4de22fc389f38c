/** One request that nobody should send. */
export interface BadRequest {
  /** The family it belongs to, for the report. */
  readonly family: string;
  readonly method: string;
  readonly target: string;
  /** Besides Host, Authorization and Content-Length; these win where they are named too. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The whole request, where it cannot be put together from the parts above. */
  readonly raw?: Buffer;
  /** The request is not whole: the sending side is closed after it. */
  readonly halfway?: boolean;
  /** No answer at all is an answer too: what was sent is not HTTP, or not all of it. */
  readonly mayBeDropped?: boolean;
  /** It must be refused with 4xx (or 501). Otherwise it may be harmless after all. */
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

export const noTrace = 'dryRun=All';
