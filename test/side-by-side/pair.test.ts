import { describe, expect, it } from 'vitest';
import type { Difference } from './difference.ts';
import { differences } from './differences.ts';
import { exactJson } from './exact-json.ts';
import { fieldDifferences } from './field-differences.ts';
import { Pair } from './pair.ts';
import { type Received, Side } from './side.ts';

const side = () => new Side({ url: 'https://127.0.0.1:1/', token: 'x', ca: '' });

function answer(body: object, more: Partial<Received> = {}): Received {
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, warnings: [], text: JSON.stringify(body), ...more };
}

function pairWith(...list: readonly Difference[]): Pair {
  const pair = new Pair(list);
  pair.connect(side(), side());
  return pair;
}

function problems(theirs: Received, ours: Received, pair = pairWith()): string {
  pair.compare({ path: '/x' }, [theirs, ours]);
  return pair.takeProblems().join('\n');
}

const object = (metadata: object, spec: object = {}) => ({ metadata, spec });

describe('the comparison', () => {
  it('finds a status, a header, a warning, a value, a member and an order that differ', () => {
    const same = answer(object({ name: 'a' }));
    expect(problems(same, answer(object({ name: 'a' })))).toBe('');
    expect(problems(same, { ...same, status: 201 })).toContain('status');
    expect(problems(same, { ...same, headers: { ...same.headers, vary: 'Accept' } })).toContain('headers.vary');
    expect(problems(same, { ...same, warnings: ['299 - "x"'] })).toContain('headers.warning');
    expect(problems(same, answer(object({ name: 'b' })))).toContain('body.metadata.name');
    expect(problems(same, answer(object({ name: 'a' }, { color: 'red' })))).toContain('body.spec.color');
    expect(problems(same, answer({ spec: {}, metadata: { name: 'a' } }))).toContain('(order)');
  });

  it('keeps numbers as they were written', () => {
    expect(exactJson('{"a":[1.0,-1e3,"2"],"b\\"1":9007199254740993}')).toEqual({
      a: ['#1.0', '#-1e3', '2'],
      'b"1': '#9007199254740993',
    });
    const text = (number: string) => answer({}, { text: `{"a":${number}}` });
    expect(problems(text('1.0'), text('1'))).toContain('body.a');
  });

  it('ignores the values of uids and versions, but not whether they changed', () => {
    const pair = pairWith();
    const read = (resourceVersion: string, uid: string) => answer(object({ resourceVersion, uid }));
    const one = '11111111-1111-4111-8111-111111111111';
    const other = '22222222-2222-4222-8222-222222222222';
    expect(problems(read('5', one), read('70', other), pair)).toBe('');
    expect(problems(read('5', one), read('70', other), pair)).toBe('');
    expect(problems(read('6', one), read('70', other), pair)).toContain('body.metadata.resourceVersion');
    expect(problems(read('6', other), read('70', other), pair)).toContain('body.metadata.uid');
  });

  it('finds what is missing in a list of another length', () => {
    expect(fieldDifferences([1, 2], [1])).toEqual([{ path: '[1]', theirs: 2, ours: undefined }]);
  });
});

describe('a listed difference', () => {
  const color: Difference = {
    id: 'color',
    theirs: '',
    ours: '',
    because: '',
    explains: ({ path }) => path === 'body.spec.color',
  };

  it('explains its own fields, is counted, and explains no other field', () => {
    const pair = pairWith(color);
    const [red, blue] = ['red', 'blue'].map((name) => answer(object({}, { color: name })));
    if (red === undefined || blue === undefined) throw new Error('expected two requests');
    expect(problems(red, blue, pair)).toBe('');
    expect(pair.met.get('color')).toBe(1);
    expect(problems(red, { ...blue, status: 201 }, pair)).toContain('status');
  });

  it('never excuses an internal server error', () => {
    const all: Difference = { ...color, explains: () => true };
    expect(problems(answer({}), { ...answer({}), status: 500 }, pairWith(all))).toContain('status');
  });

  it('has a unique id, and describes both sides and the reason', () => {
    expect(new Set(differences.map(({ id }) => id)).size).toBe(differences.length);
    for (const { theirs, ours, because } of differences) {
      for (const text of [theirs, ours, because]) expect(text).toMatch(/^\S.*[^.\s]$/);
    }
  });
});
