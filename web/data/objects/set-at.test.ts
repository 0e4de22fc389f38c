import { expect, test } from 'vitest';
import { setAt } from './set-at.ts';

test('a value is set in a copy, and missing objects on the path are created', () => {
  const before = { metadata: { name: 'demo' } };
  expect(setAt(before, ['spec', 'clusterRef', 'cluster'], 'local')).toEqual({
    metadata: { name: 'demo' },
    spec: { clusterRef: { cluster: 'local' } },
  });
  expect(before).toEqual({ metadata: { name: 'demo' } });
});

test('removing a value also removes empty parents, and nothing else', () => {
  const before = { spec: { owner: { user: 'ana' }, template: {} } };
  expect(setAt(before, ['spec', 'owner', 'user'], undefined)).toEqual({ spec: { template: {} } });
  expect(setAt({ a: 1 }, ['b', 'c'], undefined)).toEqual({ a: 1 });
});

test('members keep their order, and `__proto__` is an ordinary member', () => {
  expect(Object.keys(setAt({ a: 1, b: 2, c: 3 }, ['b'], 4))).toEqual(['a', 'b', 'c']);
  const odd = setAt({}, ['__proto__', 'x'], 'y');
  expect(Object.keys(odd)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(odd)).toBe(Object.prototype);
});
