import { expect, it } from 'vitest';
import { closestNames } from './closest-names.ts';

it.each([
  ['smal', ['small', 'large', 'control-plane'], ['small']],
  ['defalut', ['payments', 'default'], ['default']],
  ['Demo', ['demo'], ['demo']],
  ['dmeo', ['demo', 'demo2', 'memo'], ['demo']],
  ['x1', ['x2', 'control-plane'], ['x2']],
  ['nope', ['admin', 'anna'], []],
  ['', ['a'], ['a']],
  ['a'.repeat(90), [`${'a'.repeat(89)}b`, 'b'.repeat(90)], [`${'a'.repeat(89)}b`]],
])('the closest names to %j of %j are %j', (typed, names, expected) => {
  expect(closestNames(typed, names)).toEqual(expected);
});
