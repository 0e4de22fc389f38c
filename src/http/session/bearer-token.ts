import type { Exchange, IncomingRequest } from '../exchange.ts';
import { bearerProtocolPrefix } from '../wire/web-socket.ts';

const usualPrefix = 'Bearer ';

/** The bearer token of a request, from its header or, for browser WebSockets, from a subprotocol. */
export function bearerTokenOf(request: IncomingRequest): string | undefined {
  const sent = request.headers.authorization ?? '';
  // A fast path for the spelling of nearly all clients.
  if (sent.startsWith(usualPrefix) && sent.length > usualPrefix.length && !/\s/.test(sent.slice(usualPrefix.length))) {
    return sent.slice(usualPrefix.length);
  }
  const header = /^bearer +(\S+) *$/i.exec(sent);
  if (header?.[1] !== undefined) return header[1];
  if (!request.webSocket) return undefined;
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const bearer = offered.find((name) => name.startsWith(bearerProtocolPrefix))?.slice(bearerProtocolPrefix.length);
  if (bearer === undefined || !/^[A-Za-z0-9_-]+$/.test(bearer)) return undefined;
  return Buffer.from(bearer, 'base64url').toString('utf8');
}

/** The fingerprint of a token, if it is the credential of the request. */
export function fingerprintOf(token: string, { credential }: Exchange): string | undefined {
  return credential?.token === token ? credential.fingerprint : undefined;
}
