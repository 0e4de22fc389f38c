import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from '../../../test/harness/cpu-milliseconds.ts';
import { describeFieldError } from '../../api/field-error.ts';
import type { Schema, ValidationRule } from '../../api/schema/schema.ts';
import { compileValidations } from './compile-validations.ts';
import type { RuleRun } from './validation-rules.ts';

const text: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };

function withRules(schema: Schema, ...rules: readonly (string | ValidationRule)[]): Schema {
  const given = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...schema, 'x-kubernetes-validations': given };
}

/** The schema of a resource with this spec. */
function root(spec: Schema): Schema {
  return { type: 'object', properties: { spec } };
}

async function definitionErrors(schema: Schema): Promise<string[]> {
  return (await compileValidations(schema, 'schema')).errors.map(describeFieldError);
}

async function errorsOf(schema: Schema, object: JsonValue, run: RuleRun = {}): Promise<string[]> {
  const { errors, validator } = await compileValidations(schema);
  expect(errors).toEqual([]);
  return (await validator?.validate(object, run))?.map(describeFieldError) ?? [];
}

const everything: Schema = {
  type: 'object',
  properties: {
    s: text,
    i: integer,
    n: { type: 'number' },
    l: { type: 'array', items: text, maxItems: 10 },
    m: { type: 'object', additionalProperties: text, maxProperties: 10 },
    o: { type: 'object', properties: { x: integer } },
    d: { type: 'string', format: 'duration' },
    t: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    y: { type: 'string', format: 'byte' },
    port: { 'x-kubernetes-int-or-string': true },
    nothing: { type: 'string', nullable: true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    'x-y': text,
    namespace: text,
    'a.b/c': text,
    __p: text,
  },
};

const object = {
  spec: {
    s: 'abc',
    i: 5,
    n: 1.5,
    l: ['a', 'b'],
    m: { k: 'v' },
    o: { x: 1 },
    d: '1h30m',
    t: '2020-01-01T00:00:00Z',
    day: '2020-01-02',
    y: 'aGVsbG8=',
    port: 5,
    nothing: null,
    free: { z: 1 },
    'x-y': 'd',
    namespace: 'ns',
    'a.b/c': 'q',
    __p: 'u',
  },
};

describe('values in rules', () => {
  it.each([
    'self.s == "abc" && self.i == 5 && self.n == 1.5',
    'self.l.all(x, x.size() == 1) && "k" in self.m && self.m.k == "v"',
    'self.o.x == 1 && has(self.o)',
    'self.d == duration("90m") && self.t < timestamp("2021-01-01T00:00:00Z")',
    'self.day == timestamp("2020-01-02T00:00:00Z") && self.y == b"hello"',
    'type(self.port) == int ? self.port == 5 : self.port == "x"',
    '!has(self.nothing) && has(self.free)',
    'self.x__dash__y == "d" && self.__namespace__ == "ns" && self.namespace == "ns"',
    'self.a__dot__b__slash__c == "q" && self.__underscores__p == "u"',
    'self == self && self.o == self.o',
    'self.?s.orValue("") == "abc" && self.?o.x.orValue(3) == 1',
  ])('%s', async (rule) => {
    expect(await errorsOf(root(withRules(everything, rule)), object)).toEqual([]);
  });

  it('include only the name of the metadata', async () => {
    const rule = 'self.metadata.name == "x" && self.kind == "Thing" && self.apiVersion == "a/v1"';
    const whole = { apiVersion: 'a/v1', kind: 'Thing', metadata: { name: 'x' } };
    expect(await errorsOf(withRules({ type: 'object' }, rule), whole)).toEqual([]);
    expect(await definitionErrors(withRules({ type: 'object' }, 'self.metadata.labels.size() > 0'))).toEqual([
      expect.stringContaining("undefined field 'labels'"),
    ]);
  });

  it('include lists that behave by their list type', async () => {
    const list = (type: 'set' | 'atomic'): Schema => ({
      type: 'array',
      items: text,
      maxItems: 5,
      'x-kubernetes-list-type': type,
    });
    const pair = (type: 'set' | 'atomic') =>
      root(withRules({ type: 'object', properties: { a: list(type), b: list(type) } }, 'self.a == self.b'));
    const turned = { spec: { a: ['x', 'y'], b: ['y', 'x'] } };
    expect(await errorsOf(pair('set'), turned)).toEqual([]);
    expect(await errorsOf(pair('atomic'), turned)).toHaveLength(1);
    const keyed: Schema = {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: text, v: integer } },
    };
    const schema = root(
      withRules(
        { type: 'object', properties: { a: keyed } },
        'self.a == oldSelf.a',
        '(self.a + oldSelf.a).size() == 2',
      ),
    );
    const a = { k: 'a', v: 1 };
    const b = { k: 'b', v: 2 };
    expect(await errorsOf(schema, { spec: { a: [a, b] } }, { old: { spec: { a: [b, a] } } })).toEqual([]);
  });
});

describe('messages of rules', () => {
  const spec = (rule: ValidationRule) => root(withRules({ type: 'object', properties: { a: integer } }, rule));

  it.each([
    [{ rule: 'self.a < 1' }, 'spec: Invalid value: failed rule: self.a < 1'],
    [{ rule: 'self.a < 1', message: ' hi ' }, 'spec: Invalid value: hi'],
    [{ rule: 'self.a < 1', messageExpression: '"a is %d".format([self.a])' }, 'spec: Invalid value: a is 2'],
    [{ rule: 'self.a < 1', messageExpression: '"a\\nb"', message: 'one line' }, 'spec: Invalid value: one line'],
    [{ rule: 'self.a < 1', messageExpression: 'string(1/(self.a - 2))', message: 'fall' }, 'spec: Invalid value: fall'],
    [{ rule: 'self.a < 1', message: 'no', reason: 'FieldValueForbidden', fieldPath: '.a' }, 'spec.a: Forbidden: no'],
    [
      { rule: 'self.a < 1', message: 'no', reason: 'FieldValueRequired', fieldPath: '.a' },
      'spec.a: Required value: no',
    ],
    [{ rule: 'self.a < 1', reason: 'FieldValueDuplicate' }, 'spec: Duplicate value'],
    [
      { rule: '1 / (self.a - 2) > 0' },
      'spec: Invalid value: "object": division by zero evaluating rule: 1 / (self.a - 2) > 0',
    ],
  ] as const)('%j', async (rule, message) => {
    expect(await errorsOf(spec(rule), { spec: { a: 2 } })).toEqual([message]);
  });

  it('print values as Kubernetes does', async () => {
    const schema: Schema = {
      type: 'object',
      properties: { a: withRules(integer, 'self < 1'), s: withRules(text, 'self == "x"') },
    };
    expect(await errorsOf(root(schema), { spec: { a: 3, s: 'q' } })).toEqual([
      'spec.a: Invalid value: 3: failed rule: self < 1',
      'spec.s: Invalid value: "q": failed rule: self == "x"',
    ]);
  });
});

describe('an update (META-23)', () => {
  const schema = root({
    type: 'object',
    properties: {
      a: withRules(integer, { rule: 'self >= oldSelf', message: 'down' }),
      kept: withRules(integer, { rule: 'self < 5', message: 'big' }),
      once: withRules(text, {
        rule: '!oldSelf.hasValue() || oldSelf.value() == self',
        optionalOldSelf: true,
        message: 'set',
      }),
      list: {
        type: 'array',
        maxItems: 5,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: withRules(
          { type: 'object', required: ['k'], properties: { k: text, v: integer } },
          { rule: 'self.v >= oldSelf.v', message: 'less' },
          { rule: 'self.v < 10', message: 'much' },
        ),
      },
    },
  });

  it('is checked by transition rules, and a create is not', async () => {
    expect(await errorsOf(schema, { spec: { a: 1, once: 'x' } })).toEqual([]);
    const old = { spec: { a: 2, once: 'y' } };
    expect(await errorsOf(schema, { spec: { a: 1, once: 'x' } }, { old })).toEqual([
      'spec.a: Invalid value: 1: down',
      'spec.once: Invalid value: "x": set',
    ]);
  });

  it('may keep invalid values that are unchanged, with a warning', async () => {
    const warnings: string[] = [];
    const run = { old: { spec: { kept: 9 } }, warn: (warning: string) => void warnings.push(warning) };
    expect(await errorsOf(schema, { spec: { kept: 9, a: 1 } }, run)).toEqual([]);
    expect(warnings).toEqual(['spec.kept: Invalid value: 9: big']);
    expect(await errorsOf(schema, { spec: { kept: 8 } }, run)).toEqual(['spec.kept: Invalid value: 8: big']);
  });

  it('correlates the items of a list by their keys', async () => {
    const item = (k: string, v: number) => ({ k, v });
    const old = { spec: { list: [item('b', 20), item('a', 2)] } };
    const now = { spec: { list: [item('a', 1), item('b', 20), item('c', 11)] } };
    expect(await errorsOf(schema, now, { old })).toEqual([
      'spec.list[0]: Invalid value: less',
      'spec.list[2]: Invalid value: much',
    ]);
  });

  it('may keep an invalid member of an unchanged list item, whatever its name', async () => {
    const item: Schema = {
      type: 'object',
      required: ['k'],
      properties: { k: text, kind: withRules(text, { rule: 'self != "bad"', message: 'bad kind' }) },
    };
    const list: Schema = {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: item,
    };
    const old = { spec: { list: [{ k: 'a', kind: 'bad' }] } };
    const now = { spec: { list: [{ k: 'a', kind: 'bad' }, { k: 'b' }] } };
    expect(await errorsOf(root({ type: 'object', properties: { list } }), now, { old })).toEqual([]);
  });

  it('cannot correlate items of lists without keys', async () => {
    const items = withRules({ type: 'object', properties: { v: integer } }, 'self.v >= oldSelf.v');
    const atomic = root({ type: 'object', properties: { l: { type: 'array', maxItems: 5, items } } });
    expect(await definitionErrors(atomic)).toEqual([
      'schema.properties[spec].properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self.v >= oldSelf.v": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[spec].properties[l]',
    ]);
  });
});

describe('a definition whose rules', () => {
  const one = (properties: Readonly<Record<string, Schema>>, rule: string | ValidationRule) =>
    root(withRules({ type: 'object', properties }, rule));

  it('do not compile is refused with all errors', async () => {
    expect(await definitionErrors(one({ s: text }, 'self.s + 1 == self.x'))).toEqual([
      'schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.s + 1 == self.x","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ' +
        "ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(string, int)'\n | self.s + 1 == self.x\n | .......^\n" +
        "ERROR: <input>:1:19: undefined field 'x'\n | self.s + 1 == self.x\n | ..................^",
    ]);
  });

  it('are not boolean, or set optionalOldSelf without oldSelf, is refused', async () => {
    expect(await definitionErrors(one({ s: text }, 'self.s'))).toEqual([
      expect.stringContaining('cel expression must evaluate to a bool'),
    ]);
    const unused = { rule: 'self.s == ""', optionalOldSelf: true };
    expect(await definitionErrors(one({ s: text }, unused))).toEqual([
      'schema.properties[spec].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
    ]);
    const message = { rule: 'true', messageExpression: 'self.s.size()' };
    expect(await definitionErrors(one({ s: text }, message))).toEqual([
      expect.stringContaining('messageExpression must evaluate to a string'),
    ]);
  });

  const list = (maxItems: number | undefined, maxLength?: number): Schema => ({
    type: 'array',
    items: { type: 'string', ...(maxLength === undefined ? {} : { maxLength }) },
    ...(maxItems === undefined ? {} : { maxItems }),
  });
  const pairs = 'self.l.all(x, self.l.all(y, x == y))';

  it.each([
    [list(1000, 10), pairs, []],
    [list(2000, 10), pairs, ['estimated rule cost exceeds budget by factor of 3.6x']],
    [
      list(2000),
      pairs,
      ['estimated rule cost exceeds budget by factor of more than 100x', 'contributed to', 'total for entire'],
    ],
    [list(undefined), 'self.l.all(x, x == "a")', []],
  ] as const)('are limited in cost for %j with %s', async (l, rule, messages) => {
    const found = await definitionErrors(one({ l }, rule));
    expect(found).toHaveLength(messages.length);
    for (const [index, message] of messages.entries()) expect(found[index]).toContain(message);
  });

  it('cost too much is accepted if the rules existed before', async () => {
    const schema = one({ l: list(2000) }, pairs);
    expect((await compileValidations(schema, 'schema', schema)).errors).toEqual([]);
  });
});

describe('a rule that exceeds its cost limit', () => {
  it('is aborted in bounded time and refuses the object', async () => {
    const l = Array.from({ length: 900 }, (_, index) => `item ${index}`);
    const items: Schema = { type: 'array', items: { type: 'string', maxLength: 10 }, maxItems: 1000 };
    const schema = root(
      withRules({ type: 'object', properties: { l: items } }, 'self.l.all(x, self.l.all(y, x != "" && y != ""))'),
    );
    const started = cpuMilliseconds();
    const { validator } = await compileValidations(schema);
    const errors = (await validator?.validate({ spec: { l } }))?.map(describeFieldError);
    expect(errors).toEqual([
      'spec: Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: self.l.all(x, self.l.all(y, x != "" && y != ""))',
    ]);
    expect(cpuMilliseconds() - started).toBeLessThan(3000);
  });

  it('prevents further rules once the budget of the object is exhausted', async () => {
    const values = { type: 'array', maxItems: 100, items: withRules(integer, 'self < 5') } as const;
    const errors = await errorsOf(
      root({ type: 'object', properties: { values } }),
      { spec: { values: [1, 2, 3] } },
      { budget: 5 },
    );
    expect(errors).toEqual([
      'spec.values[2]: Invalid value: "integer": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });

  it('counts work that has no cost in Kubernetes, such as the size of a long text', async () => {
    const sizes = Array(40).fill('self.t.size() > 0').join(' && ');
    const rules = Array.from({ length: 60 }, (_, index) => `${sizes} && ${index} >= 0`);
    const schema = root(withRules({ type: 'object', properties: { t: text } }, ...rules));
    let turns = 0;
    const nextTimeSlice = async () => void turns++;
    const errors = await errorsOf(schema, { spec: { t: 'x'.repeat(1_000_000) } }, { nextTimeSlice });
    expect(errors).toEqual([
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
    expect(turns).toBeGreaterThan(1);
    expect(await errorsOf(schema, { spec: { t: 'x'.repeat(10_000) } })).toEqual([]);
  });

  it('yields to other requests between rules', async () => {
    let turns = 0;
    const l: Schema = { type: 'array', items: integer, maxItems: 20_000 };
    const rules = ['self.l.all(x, x >= 0)', 'self.l.all(x, x >= 0)', 'self.l.all(x, x >= 0)'];
    const schema = root(withRules({ type: 'object', properties: { l } }, ...rules));
    const turn = async () => void turns++;
    const object = { spec: { l: Array.from({ length: 15_000 }, (_, index) => index) } };
    const { validator } = await compileValidations(schema);
    expect(await validator?.validate(object, { nextTimeSlice: turn })).toHaveLength(0);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('many rules', () => {
  it('are compiled a few at a time, and other requests are served in between', async () => {
    const rule = (index: number) => `self.a != ${index} && "${'x'.repeat(500)}".size() > ${index % 400}`;
    const many = Array.from({ length: 200 }, (_, index) => rule(index));
    let served = 0;
    const others = setInterval(() => served++, 0);
    const { errors } = await compileValidations(
      root(withRules({ type: 'object', properties: { a: integer } }, ...many)),
    );
    clearInterval(others);
    expect(errors).toEqual([]);
    expect(served).toBeGreaterThan(2);
  });
});

describe('the work of compiling rules', () => {
  const limited = { ...text, maxLength: 10 };
  const message =
    'Forbidden: the validation rules of a version take too long to compile: together they may have 250000 characters, and patterns with large repetitions count as more';

  it('has a limit for all rules of a schema', async () => {
    const rules = (count: number) => Array.from({ length: count }, (_, at) => `self != "${'x'.repeat(480)}${at}"`);
    expect(await definitionErrors(root(withRules(limited, ...rules(400))))).toEqual([]);
    const errors = await definitionErrors(root(withRules(limited, ...rules(600))));
    expect(errors).toEqual([expect.stringMatching(/^schema\.properties\[spec\]\.x-kubernetes-validations\[5\d\d\]: /)]);
    expect(errors[0]).toContain(message);
  });

  it('includes the patterns in the rules, also if they were compiled before', async () => {
    const rules = Array.from({ length: 100 }, (_, at) => `self.matches("a{1000}${at}")`);
    for (let attempt = 0; attempt < 2; attempt++) {
      const errors = await definitionErrors(root(withRules(limited, ...rules)));
      expect(errors.filter((error) => error.includes(message))).toHaveLength(1);
    }
  });

  it('makes objects invalid that the rules are for', async () => {
    const rules = Array.from({ length: 600 }, (_, at) => `self != "${'x'.repeat(480)}${at}"`);
    const { validator } = await compileValidations(root(withRules(limited, ...rules)), 'schema');
    const errors = (await validator?.validate({ spec: 'a' }, {})) ?? [];
    expect(errors.map(describeFieldError).join()).toContain('rule compile error: the validation rules of a version');
  });
});
