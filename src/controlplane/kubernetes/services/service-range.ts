import { isIpv4 } from '../rules/ip-rules.ts';

/**
 * The range of the cluster IPs of services. Services get neither the first address (the network address) nor the last
 * address (the broadcast address).
 */
export const serviceRange = { cidr: '10.96.0.0/16', prefix: '10.96.', size: 65_536 } as const;

/** The range of node ports, both included. */
export const nodePorts = { first: 30_000, last: 32_767 } as const;

/** The cluster IP of the service `default/kubernetes`. No other service can have this address. */
export const kubernetesAddress = '10.96.0.1';

/** Returns the address at an offset in the range. */
export function addressAt(offset: number): string {
  return `${serviceRange.prefix}${offset >> 8}.${offset & 255}`;
}

/** Returns the offset of an address in the range; `undefined` if the address is not in the range. */
export function offsetOf(address: string): number | undefined {
  if (!address.startsWith(serviceRange.prefix) || !isIpv4(address)) return undefined;
  const [high = '', low = ''] = address.slice(serviceRange.prefix.length).split('.');
  return Number(high) * 256 + Number(low);
}
