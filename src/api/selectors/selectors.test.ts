import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../meta.ts';
import { StatusError } from '../status.ts';
import { parseFieldSelector, requiredFieldValue } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';
import { checkSelectorFields, fieldValue, matchesSelectors } from './select.ts';

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    expect((error as StatusError).code).toBe(400);
    return (error as StatusError).message;
  }
  throw new Error('accepted');
}

describe('parseLabelSelector', () => {
  it.each<[string, Record<string, string>[], Record<string, string>[]]>([
    ['', [{}, { a: 'b' }], []],
    ['a=b', [{ a: 'b' }], [{}, { a: 'c' }]],
    ['a == b', [{ a: 'b' }], [{ a: '' }]],
    ['a!=b', [{}, { a: 'c' }], [{ a: 'b' }]],
    ['a in (b, c)', [{ a: 'b' }, { a: 'c' }], [{}, { a: 'd' }]],
    ['a notin (b,c)', [{}, { a: 'd' }], [{ a: 'b' }]],
    ['a', [{ a: '' }], [{}, { b: 'a' }]],
    ['!a', [{}], [{ a: '' }]],
    ['a=', [{ a: '' }], [{}, { a: 'b' }]],
    ['a in (,b)', [{ a: '' }, { a: 'b' }], [{}, { a: 'c' }]],
    ['a in ()', [{ a: '' }], [{}, { a: 'c' }]],
    ['a>1', [{ a: '2' }], [{}, { a: '1' }, { a: 'x' }, { a: '' }]],
    ['a<5', [{ a: '-2' }, { a: '4' }], [{ a: '5' }, { a: '99999999999999999999' }]],
    [
      'a=b,c!=d , !e',
      [{ a: 'b' }],
      [
        { a: 'b', c: 'd' },
        { a: 'b', e: '' },
      ],
    ],
    ['in in (in,notin)', [{ in: 'in' }, { in: 'notin' }], [{ in: 'x' }]],
    ['example.com/a=b', [{ 'example.com/a': 'b' }], [{ a: 'b' }]],
    ['constructor', [], [{}]],
    ['__proto__ notin (x)', [{}], []],
  ])('%j selects the expected labels (SEL-01, SEL-02, SEL-03, SEL-04, SEL-06)', (text, yes, no) => {
    if (text.startsWith('__')) {
      expect(refusal(() => parseLabelSelector(text))).toContain('Invalid value: "__proto__"');
      return;
    }
    const selector = parseLabelSelector(text);
    expect(selector.empty).toBe(text === '');
    for (const labels of yes) expect([labels, selector.matches(labels)]).toEqual([labels, true]);
    for (const labels of no) expect([labels, selector.matches(labels)]).toEqual([labels, false]);
  });

  it.each([
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b,', "found '', expected: identifier after ','"],
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['!', "unable to parse requirement: found '', expected: identifier"],
  ])('%j is rejected with %j (SEL-05)', (text, message) => {
    expect(refusal(() => parseLabelSelector(text))).toBe(message);
  });

  it('reports the rule that a key or value violates (SEL-05)', () => {
    expect(refusal(() => parseLabelSelector('-a=b'))).toMatch(
      /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric characters/,
    );
    expect(refusal(() => parseLabelSelector('a=b*'))).toMatch(
      /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "b\*": a valid label must be an empty string or/,
    );
  });

  it('agrees with a simple model', () => {
    const key = fc.constantFrom('a', 'b', 'x.y/c');
    const value = fc.constantFrom('', '1', '2', 'v');
    const requirement = fc.oneof(
      fc.record({ key, op: fc.constantFrom('=', '==', '!='), values: fc.tuple(value) }),
      fc.record({ key, op: fc.constantFrom('in', 'notin'), values: fc.uniqueArray(value, { minLength: 1 }) }),
      fc.record({ key, op: fc.constantFrom('', '!'), values: fc.constant([]) }),
    );
    const print = ({ key: name, op, values }: { key: string; op: string; values: readonly string[] }) => {
      if (op === '') return name;
      if (op === '!') return `!${name}`;
      return op.includes('in') ? `${name} ${op} (${values.join(',')})` : `${name}${op}${values[0]}`;
    };
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.dictionary(key, value), (requirements, labels) => {
        const expected = requirements.every(({ key: name, op, values }) => {
          const has = Object.hasOwn(labels, name);
          const hit = has && (values as readonly string[]).includes(labels[name] ?? '');
          if (op === '') return has;
          if (op === '!') return !has;
          return op === '!=' || op === 'notin' ? !hit : hit;
        });
        expect(parseLabelSelector(requirements.map(print).join(', ')).matches(labels)).toBe(expected);
      }),
    );
  });
});

describe('parseFieldSelector', () => {
  const read = (fields: Record<string, string>) => (field: string) => fields[field] ?? '';

  it('requires all printed values to match (SEL-07, SEL-11)', () => {
    const selector = parseFieldSelector('metadata.name=a,spec.x!=b');
    expect(selector.requirements).toEqual([
      { field: 'metadata.name', operator: '=', value: 'a' },
      { field: 'spec.x', operator: '!=', value: 'b' },
    ]);
    expect(selector.matches(read({ 'metadata.name': 'a' }))).toBe(true);
    expect(selector.matches(read({ 'metadata.name': 'a', 'spec.x': 'b' }))).toBe(false);
    expect(parseFieldSelector('n=a,n=b').matches(read({ n: 'a' }))).toBe(false);
    expect(parseFieldSelector('').requirements).toEqual([]);
    expect(requiredFieldValue(selector, 'metadata.name')).toBe('a');
    expect(requiredFieldValue(selector, 'spec.x')).toBeUndefined();
  });

  it('accepts escaped commas, equals signs and backslashes (SEL-07)', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 4 }), (values) => {
        const text = values.map((value, index) => `f${index}==${value.replace(/[\\,=]/g, '\\$&')}`).join(',');
        expect(parseFieldSelector(text).requirements).toEqual(
          values.map((value, index) => ({ field: `f${index}`, operator: '=', value })),
        );
      }),
    );
  });

  it('reports errors with the messages of Kubernetes (SEL-08)', () => {
    expect(refusal(() => parseFieldSelector('a=b,x'))).toBe("invalid selector: 'a=b,x'; can't understand 'x'");
    expect(refusal(() => parseFieldSelector('a=\\x'))).toBe('invalid field selector: invalid escape sequence: \\x');
    expect(refusal(() => parseFieldSelector('a=\\'))).toBe('invalid field selector: invalid escape sequence: \\');
    expect(refusal(() => parseFieldSelector('a=b=c'))).toContain('unescaped character in value');
  });
});

describe('fields of objects', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'K',
    metadata: { name: 'a', labels: { l: '1' } },
    spec: { on: true, size: 5, owner: { user: 'me' }, big: 9007199254740993n },
  } as unknown as KubeObject;

  it('are compared by their printed values, with missing ones as empty (SEL-14)', () => {
    const fields = [
      'metadata.name',
      'spec.on',
      'spec.size',
      'spec.owner.user',
      'spec.big',
      'spec.owner',
      'spec.nope',
      'toString',
    ];
    expect(fields.map((field) => fieldValue(object, field))).toEqual([
      'a',
      'true',
      '5',
      'me',
      '9007199254740993',
      '',
      '',
      '',
    ]);
  });

  it('must match both selectors', () => {
    expect(matchesSelectors(object, parseLabelSelector('l=1'), parseFieldSelector('spec.size=5'))).toBe(true);
    expect(matchesSelectors(object, parseLabelSelector('l=2'), parseFieldSelector('spec.size=5'))).toBe(false);
    expect(matchesSelectors(object, undefined, undefined)).toBe(true);
  });

  it('are rejected if the kind does not support them (SEL-09, SEL-10)', () => {
    const custom = { namespaced: true, selectableFields: ['spec.owner.user'] };
    expect(() =>
      checkSelectorFields(custom, parseFieldSelector('metadata.name=a,metadata.namespace=b,spec.owner.user=c')),
    ).not.toThrow();
    expect(refusal(() => checkSelectorFields(custom, parseFieldSelector('spec.foo=a')))).toBe(
      'field label not supported: spec.foo',
    );
    expect(refusal(() => checkSelectorFields({ namespaced: false }, parseFieldSelector('metadata.namespace=a')))).toBe(
      'field label not supported: metadata.namespace',
    );
    expect(
      refusal(() => checkSelectorFields({ namespaced: false, builtIn: true }, parseFieldSelector('spec.foo=a'))),
    ).toBe('"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"');
  });
});
