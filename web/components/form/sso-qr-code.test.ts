import { expect, it } from 'vitest';
import { qrCodePath } from './qr-code.tsx';

const uri = 'otpauth://totp/Flotilla:anna?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Flotilla';

/** Returns the positions of the dark modules as `x y`. */
function darkModules(path: string): Set<string> {
  return new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`));
}

it('a QR code has a margin of four modules, and its three finder patterns in the corners', () => {
  const { size, path } = qrCodePath(uri);
  const dark = darkModules(path);
  const isDark = (x: number, y: number) => dark.has(`${x} ${y}`);
  // The QR code has at least version 5: 37 modules, and a margin of 4 modules on both sides.
  expect(size).toBeGreaterThanOrEqual(45);
  const positions = [...dark].flatMap((module) => module.split(' ').map(Number));
  expect([Math.min(...positions), Math.max(...positions)]).toEqual([4, size - 5]);
  for (const [x, y] of [
    [4, 4],
    [size - 11, 4],
    [4, size - 11],
  ] as const) {
    const row = (offset: number) =>
      Array.from({ length: 7 }, (_, i) => (isDark(x + i, y + offset) ? '#' : ' ')).join('');
    expect(Array.from({ length: 7 }, (_, i) => row(i))).toEqual([
      '#######',
      '#     #',
      '# ### #',
      '# ### #',
      '# ### #',
      '#     #',
      '#######',
    ]);
  }
});

it('QR codes of different texts differ', () => {
  expect(qrCodePath(uri).path).not.toBe(qrCodePath(`${uri}0`).path);
});
