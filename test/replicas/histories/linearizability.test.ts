import { describe, expect, it } from 'vitest';
import { findNonLinearizable } from './linearizability.ts';
import type { RegisterOperation, RegisterValue } from './register-operation.ts';

type Result = 'done' | 'refused' | 'unknown';

function change(
  [startedAt, endedAt]: readonly [number, number],
  [from, to]: readonly [RegisterValue, RegisterValue],
  result: Result = 'done',
): RegisterOperation {
  return { register: 'r', kind: 'change', from, to, result, startedAt, endedAt };
}

function read([startedAt, endedAt]: readonly [number, number], found: RegisterValue): RegisterOperation {
  return { register: 'r', kind: 'read', found, startedAt, endedAt };
}

const never = Number.POSITIVE_INFINITY;

describe('the linearizability check', () => {
  it.each<[string, RegisterOperation[]]>([
    [
      'operations one after the other',
      [change([0, 1], [undefined, 'a']), read([2, 3], 'a'), change([4, 5], ['a', 'b'])],
    ],
    ['a read that overlaps a write and sees the new value', [change([0, 9], [undefined, 'a']), read([1, 2], 'a')]],
    [
      'a read that overlaps a write and sees the old value',
      [change([0, 9], [undefined, 'a']), read([1, 2], undefined)],
    ],
    [
      'a refused change whose competitor overlaps it',
      [change([0, 5], [undefined, 'a']), change([1, 4], [undefined, 'b'], 'refused')],
    ],
    [
      'a change without answer that takes effect late',
      [change([0, never], [undefined, 'a'], 'unknown'), read([1, 2], undefined), read([8, 9], 'a')],
    ],
    [
      'a change without answer that never takes effect',
      [change([0, never], [undefined, 'a'], 'unknown'), read([8, 9], undefined)],
    ],
    [
      'concurrent changes that form a chain in another order than they started',
      [change([0, 9], ['b', 'c']), change([1, 8], ['a', 'b']), change([2, 7], [undefined, 'a']), read([10, 11], 'c')],
    ],
    ['a delete', [change([0, 1], [undefined, 'a']), change([2, 3], ['a', undefined]), read([4, 5], undefined)]],
  ])('accepts %s', (_, history) => {
    expect(findNonLinearizable(history)).toBeUndefined();
  });

  it.each<[string, RegisterOperation[]]>([
    ['a stale read', [change([0, 1], [undefined, 'a']), change([2, 3], ['a', 'b']), read([4, 5], 'a')]],
    ['a lost write', [change([0, 1], [undefined, 'a']), read([2, 3], undefined)]],
    ['a value that nobody wrote', [read([0, 1], 'x')]],
    [
      'two changes of the same value that were both done',
      [change([0, 1], [undefined, 'a']), change([2, 9], ['a', 'b']), change([3, 8], ['a', 'c'])],
    ],
    ['a refusal without a cause', [change([0, 1], [undefined, 'a']), change([2, 3], ['a', 'b'], 'refused')]],
    [
      'a change without answer that is undone again',
      [change([0, never], [undefined, 'a'], 'unknown'), read([1, 2], 'a'), read([3, 4], undefined)],
    ],
    [
      'reads that go back in time while a write runs',
      [change([0, 1], [undefined, 'a']), change([2, 20], ['a', 'b']), read([3, 4], 'b'), read([5, 6], 'a')],
    ],
  ])('rejects %s', (_, history) => {
    expect(findNonLinearizable(history)).toMatch(/^register r: .* is impossible/);
  });

  it('checks registers independently of each other', () => {
    const history = [change([0, 1], [undefined, 'a']), { ...read([2, 3], undefined), register: 'other' }];
    expect(findNonLinearizable(history)).toBeUndefined();
  });

  it('is fast for long histories with many changes without answer', () => {
    const history: RegisterOperation[] = [];
    let value: RegisterValue;
    for (let n = 0; n < 2000; n++) {
      history.push(change([10 * n, 10 * n + 5], [value, `v${n}`]));
      if (n % 20 === 0) history.push(change([10 * n + 1, never], [`lost${n}`, `never${n}`], 'unknown'));
      history.push(read([10 * n + 6, 10 * n + 8], `v${n}`));
      value = `v${n}`;
    }
    expect(findNonLinearizable(history)).toBeUndefined();
  });
});
