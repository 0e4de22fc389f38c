import type { Reply } from '../../http/reply.ts';

/**
 * Content types that browsers with `nosniff` never execute: they show the content as text or not at all. If the header
 * lists several types separated by commas, browsers use the last one.
 */
const inertTypes =
  /^(?:application\/(?:json|yaml|cbor|octet-stream|vnd\.kubernetes\.protobuf)|text\/plain)\s*(?:;[^,]*)?$/i;

/**
 * Sandboxes content from a cluster, which the browser loads from this server's own origin. A page gets an opaque origin
 * and runs no scripts, so it cannot send requests with the session of a signed-in user. The page's own content security
 * policy still applies.
 */
export function sandboxResponse({ status, headers }: Reply): void {
  if (status === 101) return;
  const { 'content-type': type, 'content-security-policy': ownPolicy } = headers;
  headers['x-content-type-options'] = 'nosniff';
  if (typeof type === 'string' && inertTypes.test(type)) return;
  headers['content-security-policy'] = ownPolicy === undefined ? 'sandbox' : [ownPolicy, 'sandbox'].flat();
}
