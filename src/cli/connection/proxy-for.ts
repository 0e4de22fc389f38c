import { BlockList, isIP } from 'node:net';
import type { Environment } from '../environment.ts';

/** Returns the proxy for a URL from HTTPS_PROXY, ALL_PROXY and NO_PROXY, as curl and Go programs do. */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  const either = (name: string): string => environment[name.toLowerCase()] || environment[name.toUpperCase()] || '';
  const proxy = either('https_proxy') || either('all_proxy');
  if (proxy === '' || isExcepted(url, either('no_proxy'))) return undefined;
  const withScheme = /^[a-z0-9]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  const parsed = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  return parsed?.protocol === 'http:' || parsed?.protocol === 'https:' ? parsed : undefined;
}

/**
 * True if an entry of NO_PROXY matches the URL. An entry is `*`, a host, a domain (`.example.com` and `example.com`
 * also match subdomains), an IP address, or a range of addresses (`10.0.0.0/8`). A host may have a port.
 */
function isExcepted(url: URL, exceptions: string): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const port = url.port || '443';
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      if (entry.includes('/')) return isInRange(host, entry);
      if (isIP(entry) !== 0) return host === entry;
      const [, name = '', only] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
      if (only !== undefined && only !== port) return false;
      const domain = name.replace(/^\*?\./, '');
      return host === domain || host.endsWith(`.${domain}`);
    });
}

function isInRange(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(network) === 0 || isIP(host) !== isIP(network) || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 'ipv6' ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(host, family);
}
