import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { reachableAddress } from './reachable-address.ts';

const of = (address: string, internal = false) =>
  ({ address, family: address.includes(':') ? 'IPv6' : 'IPv4', internal }) as NetworkInterfaceInfo;
const interfaces = {
  lo: [of('127.0.0.1', true), of('::1', true)],
  eth0: [of('fe80::1'), of('2001:db8::5'), of('169.254.1.1'), of('10.0.0.5')],
  eth1: [of('10.1.0.5')],
};

it.each([
  ['10.0.0.9', '10.0.0.9:7'],
  ['replica-1.example.com', 'replica-1.example.com:7'],
  ['2001:db8::9', '[2001:db8::9]:7'],
  ['0.0.0.0', '10.0.0.5:7'],
  ['::', '10.0.0.5:7'],
])('a listener on %s is reached at %s', (host, address) => {
  expect(reachableAddress(host, 7, interfaces)).toBe(address);
});

it('the reachable address is an IPv6 address or the loopback address if there is no other one', () => {
  expect(reachableAddress('::', 7, { eth0: [of('fe80::1'), of('2001:db8::5')] })).toBe('[2001:db8::5]:7');
  expect(reachableAddress('0.0.0.0', 7, { lo: interfaces.lo })).toBe('127.0.0.1:7');
  expect(reachableAddress('::', 7, {})).toBe('[::1]:7');
});
