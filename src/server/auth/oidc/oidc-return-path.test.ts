import fc from 'fast-check';
import { expect, it } from 'vitest';
import { returnPath } from './return-path.ts';

it.each(['/', '/projects/default?tab=users#top', '/a//b', '/%2F%2Fevil.test', '/a:b@c'])(
  '%s is a path of this server',
  (path) => {
    expect(returnPath(path)).toBe(path);
  },
);

it.each([
  null,
  undefined,
  '',
  'projects',
  'https://evil.test',
  '//evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  '/\t/evil.test',
  '/\n/evil.test',
  '/a\\b',
  'javascript:alert(1)',
  `/${'a'.repeat(1024)}`,
])('%j leads to the start page', (path) => {
  expect(returnPath(path)).toBe('/');
});

it('no text leads a browser to another server', () => {
  const part = fc.constantFrom('/', '\\', '\t', '\r', '\n', ' ', '.', ':', '@', '?', '#', '%2f', 'evil.test', 'https');
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (wanted) => {
      expect(new URL(returnPath(wanted), 'https://here.test/sign-in').origin).toBe('https://here.test');
    }),
  );
});
