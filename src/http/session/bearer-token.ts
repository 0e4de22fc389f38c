import type { Exchange, IncomingRequest } from '../exchange.ts';
import { bearerProtocolPrefix } from '../wire/web-socket.ts';

const usualPrefix = 'Bearer ';

/** Returns the bearer token from the Authorization header, or from the WebSocket subprotocol that browsers use. */
export function bearerTokenOf(request: IncomingRequest): string | undefined {
  const sent = request.headers.authorization ?? '';
  // Avoids the slower regular expression below: nearly all clients write `Bearer` with a capital letter and one space.
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

/** Returns the fingerprint from the exchange if `token` is the credential of the request; otherwise `undefined`. */
export function fingerprintOf(token: string, { credential }: Exchange): string | undefined {
  return credential?.token === token ? credential.fingerprint : undefined;
}
