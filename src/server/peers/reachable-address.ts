import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Returns the host and port at which other machines reach a listener. If the listener uses all addresses, the host is
 * the first address of this machine that other machines can use.
 */
export function reachableAddress(host: string, port: number, interfaces: Interfaces = networkInterfaces()): string {
  const isWildcard = host === '0.0.0.0' || host === '::';
  const name = isWildcard ? (outsideAddress(host, interfaces) ?? loopback(host)) : host;
  return `${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function outsideAddress(host: string, interfaces: Interfaces): string | undefined {
  const usable = Object.values(interfaces)
    .flatMap((each) => each ?? [])
    .filter((each) => !each.internal && !isLinkLocal(each));
  const version4 = usable.find(({ family }) => family === 'IPv4');
  // A listener on `::` accepts connections of both IP versions.
  return (host === '::' ? (version4 ?? usable[0]) : version4)?.address;
}

/** True for an address that is valid only together with the name of a network interface. */
function isLinkLocal({ address }: NetworkInterfaceInfo): boolean {
  return /^(169\.254\.|fe[89ab])/i.test(address);
}

function loopback(host: string): string {
  return host === '::' ? '::1' : '127.0.0.1';
}
