import { consoleProtocol, consoleProtocolPrefix } from '../../api/console-protocol.ts';
import type { Exchange, IncomingRequest } from '../exchange.ts';
import { originOf } from './same-origin.ts';

/** Subresources of pods that a page of the console may open as a WebSocket with the session cookie. */
const interactiveSubresources = new Set(['exec', 'attach']);

/**
 * True if the request opens a shell in a pod over a WebSocket. The session cookie authenticates no other protocol
 * upgrade.
 */
export function isConsoleShell({ request, info }: Pick<Exchange, 'request' | 'info'>): boolean {
  return (
    request.webSocket &&
    request.method === 'GET' &&
    info.group === '' &&
    info.resource === 'pods' &&
    interactiveSubresources.has(info.subresource)
  );
}

/**
 * Returns the missing proofs that a page of this server opened the WebSocket in the given login session; empty if none
 * is missing. CORS does not apply to WebSockets, and a page cannot add headers to them. So two other proofs are
 * required: the Origin header, which no page can change, and the name of the login session, which pages of other
 * origins cannot read.
 */
export function missingWebSocketProof(
  { headers }: Pick<IncomingRequest, 'headers'>,
  { login, externalUrl }: { readonly login: string | undefined; readonly externalUrl: string | undefined },
): string[] {
  const missing: string[] = [];
  const { origin } = headers;
  if (origin === undefined) missing.push('the header "Origin" is missing');
  else if (origin !== originOf(headers.host) && origin !== externalUrl)
    missing.push('the header "Origin" is not the origin of this server');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') missing.push('the header "Sec-Fetch-Site" is not "same-origin"');
  const named = offeredProtocols(headers).filter((name) => name.startsWith(consoleProtocolPrefix));
  if (login === undefined || named.length !== 1 || named[0] !== consoleProtocol(login))
    missing.push(`the WebSocket subprotocol "${consoleProtocolPrefix}…" does not name the login of the session`);
  return missing;
}

function offeredProtocols(headers: IncomingRequest['headers']): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}
