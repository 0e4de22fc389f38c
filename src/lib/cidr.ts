import { BlockList, isIP } from 'node:net';

/** A range of IP addresses, such as `10.0.0.0/8`. */
export interface Cidr {
  readonly address: string;
  /** The number of leading bits that all addresses of the range have in common. */
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Returns the range that a text describes; `undefined` if the text is not an address followed by a prefix length. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', length = ''] = /^([0-9a-fA-F:.]{2,45})\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  const bits = Number(length);
  if (version === 0 || bits > (version === 4 ? 32 : 128)) return undefined;
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Returns a list that contains the addresses of all ranges. */
export function blockListOf(ranges: Iterable<Cidr>): BlockList {
  const list = new BlockList();
  for (const { address, bits, family } of ranges) list.addSubnet(address, bits, family);
  return list;
}
