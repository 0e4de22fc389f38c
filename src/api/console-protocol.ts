/**
 * The prefix of a WebSocket subprotocol. With this subprotocol, a page of the console sends its login, encoded as
 * base64url. The subprotocol replaces the headers `X-Flotilla-Console` and `X-Flotilla-Session`, because browsers
 * cannot set headers on a WebSocket. The server never selects this subprotocol and does not forward it.
 */
export const consoleProtocolPrefix = 'v1.console.flotilla.';

/** Returns the WebSocket subprotocol that contains a login. */
export function consoleProtocol(login: string): string {
  const bytes = new TextEncoder().encode(login);
  const encoded = btoa(String.fromCharCode(...bytes));
  return consoleProtocolPrefix + encoded.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
