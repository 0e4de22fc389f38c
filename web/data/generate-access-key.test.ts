import { expect, it } from 'vitest';
import { isStrongAccessKey } from '../../src/auth/access-key-format.ts';
import { generateAccessKey } from './generate-access-key.ts';

it('generated access key values are unique, and the server accepts them', async () => {
  const [one, other] = [await generateAccessKey(), await generateAccessKey()];
  expect(one).toMatch(/^flk_[0-9A-Za-z]{46}$/);
  expect(isStrongAccessKey(one)).toBe(true);
  expect(isStrongAccessKey(`${one.slice(0, -1)}${one.endsWith('0') ? '1' : '0'}`)).toBe(false);
  expect(other).not.toBe(one);
});
