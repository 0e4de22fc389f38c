import { type BlockList, isIP } from 'node:net';
import { blockListOf, type Cidr, parseCidr } from '../../lib/cidr.ts';
import { specialIPv4Ranges, specialIPv6Ranges } from '../../lib/special-ranges.ts';

/** The entry that allows all public addresses. */
export const publicAddresses = 'public';

/** All public IPv6 addresses are in this range. */
const GLOBAL_V6 = '2000::/3';

/** The addresses at which admission webhooks may be called. */
export class WebhookAddresses {
  readonly #allowed: BlockList;
  readonly #allowsPublic: boolean;

  /** `entries` are CIDRs, or `public`. Throws if an entry is neither. */
  constructor(entries: readonly string[]) {
    this.#allowsPublic = entries.includes(publicAddresses);
    this.#allowed = blockListOf(entries.filter((entry) => entry !== publicAddresses).map(parseEntry));
  }

  allows(address: string): boolean {
    const plain = withoutMapping(address);
    const family = isIP(plain);
    if (family === 0) return false;
    const type = family === 4 ? 'ipv4' : 'ipv6';
    if (this.#allowed.check(plain, type)) return true;
    return this.#allowsPublic && !special.check(plain, type) && (family === 4 || global.check(plain, type));
  }
}

/** Throws if a text is neither `public` nor a CIDR. */
export function assertWebhookAddress(entry: string): void {
  if (entry !== publicAddresses) parseEntry(entry);
}

function parseEntry(entry: string): Cidr {
  const range = parseCidr(entry);
  if (range !== undefined) return range;
  throw new Error(`${JSON.stringify(entry)} is not a CIDR such as 10.0.0.0/8, and not "${publicAddresses}"`);
}

const special = blockListOf([...specialIPv4Ranges, ...specialIPv6Ranges].map(parseEntry));
const global = blockListOf([parseEntry(GLOBAL_V6)]);

/**
 * Returns the IPv4 address in an IPv4-mapped IPv6 address such as `::ffff:10.0.0.1`. Returns other addresses unchanged.
 */
function withoutMapping(address: string): string {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = /^(?:0*:)*:?ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (hex === null) return address;
  const value = Number.parseInt(hex[1] ?? '', 16) * 0x10000 + Number.parseInt(hex[2] ?? '', 16);
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');
}
