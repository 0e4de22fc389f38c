import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { type BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { blockListOf, parseCidr } from './cidr.ts';

/**
 * Ranges to which this process should not connect on behalf of users: the loopback addresses of this machine, and the
 * link-local services of its network, such as the metadata service of a cloud.
 */
export const defaultDeniedCIDRs: readonly string[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '::/128',
  '::1/128',
  'fe80::/10',
  // The metadata service of AWS over IPv6.
  'fd00:ec2::254/128',
];

/** Thrown for a connection to an address in a denied range. */
export class DeniedAddressError extends Error {
  override name = 'DeniedAddressError';
  readonly code = 'EADDRDENIED';
}

/** Finds all addresses of a name, like `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns the reason why a text is not a valid range of addresses, worded as the end of a sentence; `undefined` if the
 * range is valid.
 */
export function cidrProblem(text: string): string | undefined {
  return parseCidr(text) === undefined ? 'is not a range of addresses such as 10.0.0.0/8' : undefined;
}

/**
 * Decides which addresses this process may connect to on behalf of users. For a name, the addresses that it resolves to
 * are checked, and the connection is made to one of these addresses. Therefore the name cannot resolve to another
 * address after the check.
 */
export class OutgoingAddresses {
  readonly #denied: AddressRanges;
  readonly #exceptions: AddressRanges;
  readonly #resolve: Resolve;

  /**
   * `deniedCIDRs` are the denied ranges; `cidrProblem` must be `undefined` for each. `exceptions` are ranges that are
   * allowed even if a denied range contains them. `resolve` finds the addresses of a name; optional, defaults to the
   * resolver of the operating system.
   */
  constructor(deniedCIDRs: readonly string[], exceptions: readonly string[] = [], resolve: Resolve = lookup) {
    this.#denied = new AddressRanges(deniedCIDRs);
    this.#exceptions = new AddressRanges(exceptions);
    this.#resolve = resolve;
  }

  isDenied(address: string): boolean {
    const [plain = ''] = address.split('%');
    return this.#denied.include(plain) && !this.#exceptions.include(plain);
  }

  /**
   * Throws DeniedAddressError if the host is an address in a denied range. Accepts every name, because `lookup` checks
   * the addresses of names. Must be called before each connection, because `lookup` is not called for an address.
   */
  checkLiteral(host: string): void {
    if (isIP(host) !== 0 && this.isDenied(host)) throw deniedError(host, host);
  }

  /**
   * Resolves a name like `dns.lookup`, and fails if any of its addresses is denied. Used as the option `lookup` of
   * `net.connect`.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const all: LookupOptions & { all: true } = { ...options, all: true };
    this.#resolve(hostname, all, (error, addresses) => {
      const denied = error === null ? addresses.find(({ address }) => this.isDenied(address)) : undefined;
      const fault = error ?? (denied === undefined ? null : deniedError(hostname, denied.address));
      if (fault !== null || options.all === true) callback(fault, fault === null ? addresses : []);
      else callback(null, ...firstOf(addresses));
    });
  };
}

/**
 * A set of address ranges. A BlockList also compares an IPv4 address, as `::ffff:a.b.c.d`, with IPv6 ranges, so a range
 * such as `::/3` would contain all IPv4 addresses. This class therefore compares IPv4 addresses with IPv4 ranges only.
 */
class AddressRanges {
  readonly #ipv4: BlockList;
  readonly #all: BlockList;

  constructor(cidrs: readonly string[]) {
    const ranges = cidrs.flatMap((range) => parseCidr(range) ?? []);
    this.#ipv4 = blockListOf(ranges.filter(({ family }) => family === 'ipv4'));
    this.#all = blockListOf(ranges);
  }

  include(address: string): boolean {
    return isIPv4(address) ? this.#ipv4.check(address) : this.#all.check(address, 'ipv6');
  }
}

function firstOf([first]: readonly LookupAddress[]): [address: string, family: number] {
  return [first?.address ?? '', first?.family ?? 0];
}

function deniedError(host: string, address: string): DeniedAddressError {
  return new DeniedAddressError(`${host} has the address ${address}, which is in a denied range`);
}
