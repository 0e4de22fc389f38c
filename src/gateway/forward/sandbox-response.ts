import type { Reply } from '../../http/reply.ts';

/**
 * Content types that browsers never execute if the response has `nosniff`. Browsers show such content as text or not at
 * all. A header with several types separated by commas does not match, because browsers use the last type.
 */
const inertTypes =
  /^(?:application\/(?:json|yaml|cbor|octet-stream|vnd\.kubernetes\.protobuf)|text\/plain)\s*(?:;[^,]*)?$/i;

/**
 * Adds headers that sandbox a response from a cluster. A browser loads the response from the origin of this server. If
 * the response is a web page, the page could thus send requests with the session of a signed-in user. The sandbox gives
 * the page an opaque origin and disables scripts. A content security policy of the page itself is preserved.
 */
export function sandboxResponse({ status, headers }: Reply): void {
  if (status === 101) return;
  const { 'content-type': type, 'content-security-policy': ownPolicy } = headers;
  headers['x-content-type-options'] = 'nosniff';
  if (typeof type === 'string' && inertTypes.test(type)) return;
  headers['content-security-policy'] = ownPolicy === undefined ? 'sandbox' : [ownPolicy, 'sandbox'].flat();
}
