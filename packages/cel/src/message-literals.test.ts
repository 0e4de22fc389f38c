import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DYN, type ObjectType, STRING } from './cel-type.ts';
import { compileExpression } from './compile-expression.ts';
import { jsonOfValue, messageTypeError } from './json-of-value.ts';
import { libraryFunctions, libraryTypes } from './library/library.ts';
import { rewriteMessages } from './message-literals.ts';
import { EvaluationError, Meter } from './meter.ts';
import { loadParser } from './parse.ts';

const fields = new Map([['op', STRING]]);

function messageType(name: string): ObjectType | undefined {
  if (name === 'Patch') return { kind: 'object', name, fields };
  return name === 'Object' || name.startsWith('Object.')
    ? { kind: 'object', name, fields: new Map(), otherFields: DYN }
    : undefined;
}

async function compile(text: string) {
  const environment = { variables: new Map([['x', DYN]]), functions: libraryFunctions(), types: libraryTypes };
  return compileExpression(await loadParser(), text, { ...environment, messageType });
}

async function evaluated(text: string) {
  const program = await compile(text);
  if ('fault' in program) throw new Error(program.fault);
  return program.run(() => 7n, { meter: new Meter() });
}

describe('message literals', () => {
  it.each([
    ['Object{}', {}],
    ['Object{spec: Object.spec{replicas: 3}}', { spec: { replicas: 3 } }],
    ['Object . spec { a : true ? 1 : 2 }', { a: 1 }],
    ['Object{namespace: "a", package: "b", for: "}"}', { namespace: 'a', package: 'b', for: '}' }],
    ['Object.all{map: [Object.all.map{has: {"k": x}}],}', { map: [{ has: { k: 7 } }] }],
    ['Object{?a: optional.of(1), ?b: optional.none()}', { a: 1 }],
    ["Object{a: r\"\\{\", b: '''Object{''', c: \"Object{\\\"\"} // Object{", { a: '\\{', b: 'Object{', c: 'Object{"' }],
    ['"a" in {"a": 1} ? Object{a: {"b": "c"}["b"]} : Object{}', { a: 'c' }],
    ['Object{a: [1, 2, 3]}.a.sum()', 6],
    ['Object{a: 1} == Object{a: 2 - 1}', true],
    ['Object{a: 1} == dyn(Object.b{a: 1})', false],
    ['has(Object{a: 1}.b)', false],
  ])('evaluates %s', async (text, expected) => {
    expect(jsonOfValue(await evaluated(text))).toEqual(expected);
  });

  it.each([
    ['Invalid{}', "<input>:1:8: undeclared reference to 'Invalid' (in container '')"],
    ['Patch{op: 1}', "expected type of field 'op' is 'string' but provided type is 'int'"],
    ['Patch{other: 1}', "undefined field 'other'"],
    ['Object{a.b: 1}', 'Syntax error'],
    ['Object{"a": 1}', 'Syntax error'],
    ['Object{a: 1', 'Syntax error'],
    ['Object{true: 1}', 'Syntax error'],
    ['Object{a}', 'Syntax error'],
    ['Object{a:}', 'Syntax error'],
    ['Object{a: 1, b}', 'Syntax error'],
    ['Object{?}', 'Syntax error'],
    ['Object{,}', 'Syntax error'],
    ['Object{a: (1}', 'Syntax error'],
    ['x[0].Object{}', 'Syntax error'],
    ['Object{a: "}', 'Syntax error'],
  ])('rejects %s', async (text, message) => {
    expect(await compile(text)).toMatchObject({ fault: expect.stringContaining(message) });
  });

  it('are rewritten without a change of any offset, for all texts', () => {
    const part = fc.constantFrom(
      'Object',
      '{',
      '}',
      'a',
      ':',
      ',',
      '?',
      '"',
      "'",
      '.',
      'in',
      ' ',
      '(',
      ')',
      '\\',
      'r"',
      '//',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const source = parts.join('');
        const { text, messages } = rewriteMessages(source);
        expect(text).toHaveLength(source.length);
        for (const at of messages.keys()) expect([source[at], text[at]]).toEqual(['{', '(']);
        if (messages.size === 0) expect(text).toBe(source);
      }),
    );
  });

  it('of any form are compiled or refused', async () => {
    const parts = ['Object', '{', '}', 'a', ':', ',', '?', '1', '.b', ' ', '(', ')', '[', ']', '"s"', 'in'];
    const texts = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((some) => `Object{${some.join('')}}`);
    await fc.assert(fc.asyncProperty(texts, async (text) => void (await compile(text))));
  });

  it('finds types that do not match the paths of their fields', async () => {
    expect(messageTypeError(await evaluated('Object{spec: Object.spec{a: [Object.spec.a{}]}}'))).toBeUndefined();
    expect(messageTypeError(await evaluated('Object{spec: Object.status{}}'))).toBe(
      'unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type',
    );
  });

  it('does not convert a value that is small to compute and huge as JSON', async () => {
    const value = await evaluated('[lists.range(1000)].map(l, [l.map(a, l)].map(m, m.map(b, m)))');
    expect(() => jsonOfValue(value)).toThrow(EvaluationError as never);
  });
});
