import { describe, expect, it } from 'vitest';
import { compileAddressRanges, forwardedAddress, isAddressRange } from './address-ranges.ts';

describe('address ranges', () => {
  it.each(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1', '0.0.0.0/0'])('accept %s', (text) => {
    expect(isAddressRange(text)).toBe(true);
  });

  it.each(['', 'example.com', '10.0.0.0/33', '10.0.0/8', '2001:db8::/129', '10.0.0.0/-1', '10.0.0.0/8 ', '1'])(
    'reject %j',
    (text) => {
      expect(isAddressRange(text)).toBe(false);
    },
  );

  it('contain addresses of both families, also those of sockets for both', () => {
    const allows = compileAddressRanges([['10.0.0.0/8', '2001:db8::/32']]);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::5', '2001:db8::5%eth0'])
      expect(allows(address), address).toBe(true);
    for (const address of ['11.0.0.1', '2001:db9::1', '', 'unknown']) expect(allows(address), address).toBe(false);
  });

  it('must contain the address in every list', () => {
    const allows = compileAddressRanges([['10.0.0.0/8'], ['10.1.0.0/16', '192.0.2.0/24']]);
    expect(['10.1.0.1', '10.2.0.1', '192.0.2.1'].map(allows)).toEqual([true, false, false]);
  });
});

describe('the address of a client', () => {
  const isTrusted = compileAddressRanges([['10.0.0.0/8']]);
  const cases: readonly [string, string | undefined, string, string][] = [
    ['192.0.2.1', '203.0.113.9', '192.0.2.1', 'of a socket that is not a trusted proxy'],
    ['10.0.0.1', '203.0.113.9', '203.0.113.9', 'behind one proxy'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9', 'behind two proxies'],
    ['10.0.0.1', '127.0.0.1, 203.0.113.9', '203.0.113.9', 'not the one that the client claims'],
    ['10.0.0.1', 'unknown', '', 'that the proxy does not know'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2, _hidden', '', 'that a proxy hides'],
    ['10.0.0.1', '', '', 'with an empty header'],
    ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9', 'with its port'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2:443', '203.0.113.9', 'behind a proxy with its port'],
    ['10.0.0.1', '[2001:db8::5]:4711', '2001:db8::5', 'of IPv6 with its port'],
    ['10.0.0.1', '[2001:db8::5]', '2001:db8::5', 'of IPv6 in brackets'],
    ['10.0.0.1', '203.0.113.9:x', '', 'with a port that is not a number'],
    ['10.0.0.1', undefined, '10.0.0.1', 'without a header'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 'of a client beside the proxies'],
  ];
  it.each(cases)('from %s with %s is %s: %s', (socket, header, expected) => {
    expect(forwardedAddress(socket, header, isTrusted)).toBe(expected);
  });

  it('is the last address of a header of any length', () => {
    const claims = '10.0.0.7, '.repeat(1000);
    expect(forwardedAddress('10.0.0.1', `${claims}203.0.113.9`, isTrusted)).toBe('203.0.113.9');
    expect(forwardedAddress('10.0.0.1', `${'x'.repeat(5000)}, 203.0.113.9`, isTrusted)).toBe('203.0.113.9');
  });

  it('is unknown if the part of the header that is read names only proxies', () => {
    for (let length = 0; length < 12; length++) {
      const header = `${'1'.repeat(length)}${'10.0.0.7, '.repeat(1000)}10.0.0.8`;
      expect(forwardedAddress('10.0.0.1', header, isTrusted)).toBe('');
    }
  });
});
