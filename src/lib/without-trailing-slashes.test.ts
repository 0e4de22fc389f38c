import { expect, it } from 'vitest';
import { withoutTrailingSlashes } from './without-trailing-slashes.ts';

it('only slashes at the end are removed', () => {
  expect(withoutTrailingSlashes('https://a//b///')).toBe('https://a//b');
  expect(withoutTrailingSlashes('a')).toBe('a');
  expect(withoutTrailingSlashes('///')).toBe('');
  expect(withoutTrailingSlashes('')).toBe('');
});

it('the removal takes little time for a text with millions of slashes elsewhere', () => {
  const text = `https://a${'/'.repeat(3_000_000)}b`;
  expect(withoutTrailingSlashes(text)).toBe(text);
});
