import type { Reply } from '../http/exchange.ts';

/**
 * What browsers show as text, or not at all, whatever is in it; together with `nosniff`. Of several types with commas between
 * them they go by the last.
 */
const inert = /^(?:application\/(?:json|yaml|cbor|octet-stream|vnd\.kubernetes\.protobuf)|text\/plain)\s*(?:;[^,]*)?$/i;

/**
 * What comes out of a cluster is the cluster's, and comes from this server's own origin: a page of it that a browser
 * opens gets an origin of its own and runs nothing, so that it can ask for nothing in the name of whoever is signed in
 * here. What it says of itself holds besides.
 */
export function sandboxed({ status, headers }: Reply): void {
  if (status === 101) return;
  const { 'content-type': type, 'content-security-policy': own } = headers;
  headers['x-content-type-options'] = 'nosniff';
  if (typeof type === 'string' && inert.test(type)) return;
  headers['content-security-policy'] = own === undefined ? 'sandbox' : [own, 'sandbox'].flat();
}
