import type { Exchange, IncomingRequest } from './exchange.ts';
import { bearerProtocolPrefix } from './web-socket.ts';

const usualPrefix = 'Bearer ';

/** The bearer token that a request carries, in its header or, for browsers' WebSockets, in a subprotocol. */
export function credentialOf(request: IncomingRequest): string | undefined {
  const sent = request.headers.authorization ?? '';
  // As nearly all clients write it.
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

/** The mark of a token, where it is what the request came with. */
export function markOf(token: string, { presented }: Exchange): string | undefined {
  return presented?.token === token ? presented.mark : undefined;
}
