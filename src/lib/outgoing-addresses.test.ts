import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { cidrProblem, DeniedAddressError, defaultDeniedCIDRs, OutgoingAddresses } from './outgoing-addresses.ts';

describe('outgoing addresses', () => {
  const addresses = new OutgoingAddresses(defaultDeniedCIDRs);

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '169.254.169.254',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    'fd00:ec2::254',
  ])('%s is denied', (address) => {
    expect(addresses.isDenied(address)).toBe(true);
    expect(() => addresses.checkLiteral(address)).toThrow(DeniedAddressError);
  });

  it.each(['10.0.0.1', '192.168.1.1', '8.8.8.8', '2001:db8::1', 'fd00::1', '::ffff:10.0.0.1'])(
    '%s is allowed',
    (address) => expect(addresses.isDenied(address)).toBe(false),
  );

  it('a name is resolved and its addresses are checked; no connection is made to a denied one', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const refused = connect({ host: 'localhost', port, lookup: addresses.lookup });
    const [error] = await once(refused, 'error').catch((reason: unknown) => [reason]);
    expect(error).toBeInstanceOf(DeniedAddressError);
    const none = new OutgoingAddresses([]);
    for (const autoSelectFamily of [true, false]) {
      const accepted = connect({ host: 'localhost', port, family: 4, lookup: none.lookup, autoSelectFamily });
      await once(accepted, 'connect');
      accepted.destroy();
    }
    server.close();
    await once(server, 'close');
  });

  it('exceptions are allowed, and ranges of IPv6 contain no IPv4 addresses', () => {
    const addresses = new OutgoingAddresses(['10.0.0.0/8', '::/3'], ['10.1.0.0/16', '::1/128']);
    for (const address of ['10.2.0.1', '::2', '::ffff:10.2.0.1', '::ffff:8.8.8.8']) {
      expect(addresses.isDenied(address), address).toBe(true);
    }
    for (const address of ['10.1.0.1', '::1', '::ffff:10.1.0.1', '8.8.8.8', '2606:4700::1111']) {
      expect(addresses.isDenied(address), address).toBe(false);
    }
  });

  it('ranges must be an address with a length', () => {
    for (const range of ['10.0.0.0', 'x/8', '10.0.0.0/33', '10.0.0.0/8/1', '::/129', '10.0.0.0/'])
      expect(cidrProblem(range), range).toContain('is not a range');
    for (const range of defaultDeniedCIDRs) expect(cidrProblem(range), range).toBeUndefined();
  });
});
