import { compileAddressRanges, forwardedAddress } from '../auth/address-ranges.ts';
import type { IncomingRequest } from '../http/exchange.ts';
import type { Reply } from '../http/reply.ts';

export interface FrontHandlerSettings {
  /** Address ranges of the proxies in front of the server whose X-Forwarded-For headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** The value of max-age in the Strict-Transport-Security header, in seconds; 0 to send no such header. */
  readonly hstsSeconds: number;
}

type RequestHandler = (request: IncomingRequest) => Promise<Reply>;

/**
 * Wraps the handler of all requests. Determines the address of the client, on which limits, the audit log and address
 * lists depend. Makes browsers use only TLS.
 */
export function frontHandler(
  handler: RequestHandler,
  { trustedProxies, hstsSeconds }: FrontHandlerSettings,
): RequestHandler {
  const isTrusted = trustedProxies.length === 0 ? undefined : compileAddressRanges([trustedProxies]);
  const hsts = hstsSeconds === 0 ? undefined : `max-age=${hstsSeconds}`;
  if (isTrusted === undefined && hsts === undefined) return handler;
  return async (request) => {
    if (isTrusted !== undefined) {
      request.remoteAddress = forwardedAddress(request.remoteAddress, request.headers['x-forwarded-for'], isTrusted);
    }
    const reply = await handler(request);
    return hsts === undefined ? reply : { ...reply, headers: { ...reply.headers, 'strict-transport-security': hsts } };
  };
}
