import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { OutgoingAddresses } from '../../lib/outgoing-addresses.ts';
import { specialIPv4Ranges, specialIPv6Ranges } from '../../lib/special-ranges.ts';

/** All addresses that are not public. The last three ranges contain all of IPv6 except `2000::/3`. */
const notPublic = [...specialIPv4Ranges, ...specialIPv6Ranges, '::/3', '4000::/2', '8000::/1'];

/**
 * Ranges of addresses of internal networks. Endpoints of a provider may use addresses in such a range only if the host
 * of the issuer has an address in the same range. Link-local addresses are not included, because cloud metadata
 * services use them.
 */
const internalNetworks: readonly (readonly string[])[] = [
  ['127.0.0.0/8', '::1/128'],
  ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'],
];

/** Resolves a host name to its addresses. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/**
 * Decides which addresses this server may connect to for a provider. An administrator chose the host of the issuer, so
 * the issuer's address is not restricted. The provider chooses all other hosts in its discovery document. Without a
 * restriction, the provider could make this server send requests to internal services.
 */
export class ProviderAddresses {
  readonly #issuerHost: string;
  readonly #resolve: ResolveHost;

  constructor(issuer: URL, resolve: ResolveHost = resolveByLookup) {
    this.#issuerHost = hostOf(issuer);
    this.#resolve = resolve;
  }

  /** Throws a DeniedAddressError if the host of the URL is an IP address that endpoints of the provider may not use. */
  async checkLiteral(url: URL): Promise<void> {
    const host = hostOf(url);
    if (isIP(host) !== 0 && host !== this.#issuerHost) (await this.#restriction()).checkLiteral(host);
  }

  /** Resolves a host name and fails if one of its addresses is denied. Used as the option `lookup` of `net.connect`. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    if (hostname === this.#issuerHost) {
      unrestricted.lookup(hostname, options, callback);
      return;
    }
    this.#restriction().then(
      (restriction) => restriction.lookup(hostname, options, callback),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  /** The issuer's addresses may change, so they are resolved again for each connection to another host. */
  async #restriction(): Promise<OutgoingAddresses> {
    const host = this.#issuerHost;
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host];
    const shared = internalNetworks.filter((network) => {
      const inNetwork = new OutgoingAddresses(network);
      return addresses.some((address) => inNetwork.isDenied(address));
    });
    return new OutgoingAddresses(notPublic, shared.flat());
  }
}

const unrestricted = new OutgoingAddresses([]);

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function resolveByLookup(host: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error === null) resolve(found.map(({ address }) => address));
      else reject(error);
    });
  });
}
