import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { pathSegments } from './path-segments.ts';

/** Splits a path like `pathSegments`, but without a cache. */
function plainly(path: string): string[] | 'refused' {
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  try {
    return trimmed === '' ? [] : trimmed.split('/').map((segment) => decodeURIComponent(segment));
  } catch {
    return 'refused';
  }
}

function cut(path: string): string[] | 'refused' {
  try {
    return pathSegments(path);
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    return 'refused';
  }
}

describe('a path', () => {
  it('is split first and then decoded', () => {
    expect(pathSegments('/a/b%2Fc/../%7Bd%7D/')).toEqual(['a', 'b/c', '..', '{d}']);
    expect(pathSegments('//')).toEqual([]);
    expect(pathSegments('a')).toEqual(['a']);
    expect(cut('/a/%zz/b')).toBe('refused');
    expect(cut('/a/b/%zz')).toBe('refused');
  });

  it('is split the same way each time, even if the segments were modified', () => {
    const segment = fc.constantFrom('', 'a', 'namespaces', 'ü', '%2f', '%zz', '%c3%bc', '.', 'x'.repeat(200));
    const paths = fc.array(segment, { maxLength: 7 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(fc.array(paths, { minLength: 1, maxLength: 8 }), (all) => {
        for (const path of [...all, ...all]) {
          const segments = cut(path);
          expect(segments).toEqual(plainly(path));
          if (segments !== 'refused') segments.fill('changed');
        }
      }),
    );
  });

  it('is split correctly if there are more collections than cache entries', () => {
    for (let number = 0; number < 3000; number++) {
      expect(pathSegments(`/apis/${number}/x`)).toEqual(['apis', String(number), 'x']);
    }
    expect(pathSegments('/apis/0/y')).toEqual(['apis', '0', 'y']);
  });
});
