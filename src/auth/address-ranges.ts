import { isIP } from 'node:net';
import { blockListOf, type Cidr, parseCidr } from '../lib/cidr.ts';

/** True for an address range such as `10.0.0.0/8` or `2001:db8::/32`, and for a single address. */
export function isAddressRange(text: string): boolean {
  return parseRange(text) !== undefined;
}

/**
 * Returns a function that decides whether a client address is in at least one range of every list. Invalid ranges contain
 * no address.
 */
export function compileAddressRanges(lists: readonly (readonly string[])[]): (address: string) => boolean {
  const compiled = lists.map((ranges) => blockListOf(ranges.flatMap((text) => parseRange(text) ?? [])));
  return (address) => {
    const plain = plainAddress(address);
    const family = isIP(plain);
    if (family === 0) return false;
    return compiled.every((list) => list.check(plain, family === 4 ? 'ipv4' : 'ipv6'));
  };
}

/**
 * Returns the address of the client of a request. Each trusted proxy appends the address of its own client to
 * X-Forwarded-For, so the list is read from its end. The first address that does not belong to a trusted proxy is the
 * client's. Entries before it are ignored, because the client may have invented them. Returns '' if the entry of a
 * trusted proxy is not a valid address, because no address range contains ''.
 */
export function forwardedAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  isTrusted: (address: string) => boolean,
): string {
  if (forwardedFor === undefined) return socketAddress;
  const isCut = forwardedFor.length > maxForwardedLength;
  const hops = forwardedFor.slice(-maxForwardedLength).split(',');
  // If the header was truncated, its first entry may be the end of a longer address, so the entry counts as invalid.
  if (isCut) hops[0] = '';
  let address = socketAddress;
  while (isTrusted(address)) {
    const hop = hops.pop();
    if (hop === undefined) return address;
    address = hopAddress(hop.trim());
  }
  return address;
}

/**
 * The number of characters that are read from the end of an X-Forwarded-For header. They are enough for more proxies
 * than a request passes.
 */
const maxForwardedLength = 2048;

/**
 * Returns the address in an entry of X-Forwarded-For, without the port that some proxies add. '' if the entry contains
 * no valid address.
 */
function hopAddress(hop: string): string {
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  const address = plainAddress(bracketed ?? withPort ?? hop);
  return isIP(address) === 0 ? '' : address;
}

/** Parses an address range. A single address is a range of one address. */
function parseRange(text: string): Cidr | undefined {
  return parseCidr(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);
}

/** Returns an IPv4 address without the prefix of IPv4-mapped IPv6 addresses, and an IPv6 address without its zone. */
function plainAddress(address: string): string {
  const [plain = ''] = address.split('%', 1);
  return /^::ffff:\d/i.test(plain) ? plain.slice('::ffff:'.length) : plain;
}
