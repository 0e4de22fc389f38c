import { expect, test } from 'vitest';
import { setAt } from './set-at.ts';

test('a value is set in a copy, and what is in between is made', () => {
  const before = { metadata: { name: 'demo' } };
  expect(setAt(before, ['spec', 'clusterRef', 'cluster'], 'local')).toEqual({
    metadata: { name: 'demo' },
    spec: { clusterRef: { cluster: 'local' } },
  });
  expect(before).toEqual({ metadata: { name: 'demo' } });
});

test('what is taken away leaves nothing empty behind, and nothing else goes', () => {
  const before = { spec: { owner: { user: 'ana' }, template: {} } };
  expect(setAt(before, ['spec', 'owner', 'user'], undefined)).toEqual({ spec: { template: {} } });
  expect(setAt({ a: 1 }, ['b', 'c'], undefined)).toEqual({ a: 1 });
});

test('members keep their order, and a name that every object has is a member like any other', () => {
  expect(Object.keys(setAt({ a: 1, b: 2, c: 3 }, ['b'], 4))).toEqual(['a', 'b', 'c']);
  const odd = setAt({}, ['__proto__', 'x'], 'y');
  expect(Object.keys(odd)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(odd)).toBe(Object.prototype);
});
