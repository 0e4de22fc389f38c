import { expect, it } from 'vitest';
import { rememberLast } from './remember-last.ts';

it('the function computes again only if the argument differs from the last one', () => {
  const computed: object[] = [];
  const count = rememberLast((argument: object) => computed.push(argument));
  const [one, two] = [{}, {}];
  expect([one, one, two, one].map(count)).toEqual([1, 1, 2, 3]);
  expect(computed).toHaveLength(3);
});
