import type { JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from '../../../test/harness/cpu-milliseconds.ts';
import { comparable, runCel } from './cel.fixture.ts';
import { dynamicValue } from './dynamic-value.ts';
import { loadParser } from './parse.ts';

const min = -(2n ** 63n);
const max = 2n ** 63n - 1n;
const int = fc.bigInt({ min, max });

function wrapped(value: bigint): string {
  return value < 0n ? `(${value})` : String(value);
}

describe('integers', () => {
  const operations: readonly (readonly [string, (a: bigint, b: bigint) => bigint])[] = [
    ['+', (a, b) => a + b],
    ['-', (a, b) => a - b],
    ['*', (a, b) => a * b],
  ];

  it.each(operations)('with %s are exact to 64 bits, and overflow is an error', async (sign, expected) => {
    await fc.assert(
      fc.asyncProperty(int, int, async (a, b) => {
        const outcome = await runCel(`${wrapped(a)} ${sign} ${wrapped(b)}`);
        const value = expected(a, b);
        if (value < min || value > max) expect(outcome.error).toBe('integer overflow');
        else expect(outcome.value).toBe(value);
      }),
      { numRuns: 200 },
    );
  });

  it('are compared with integers and doubles by value', async () => {
    await fc.assert(
      fc.asyncProperty(int, fc.double({ noNaN: true, min: -1e19, max: 1e19 }), async (a, b) => {
        const text = Number.isInteger(b) ? `${BigInt(b)}.0` : b.toString();
        const outcome = await runCel(`${wrapped(a)} < ${b < 0 ? `(${text})` : text}`);
        if (outcome.fault === undefined) expect(outcome.value).toBe(a < b);
      }),
      { numRuns: 200 },
    );
  });
});

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

describe('JSON values', () => {
  it('equal themselves, and are converted without change', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        expect((await runCel('a == b', { a: value, b: structuredClone(value) })).value).toBe(true);
        const whole = (one: JsonValue): unknown =>
          typeof one === 'number' && Number.isInteger(one) ? BigInt(one) : one;
        if (typeof value !== 'object' || value === null) expect(comparable(dynamicValue(value))).toEqual(whole(value));
      }),
      { numRuns: 300 },
    );
  });

  it('of any form are evaluated or refused by any expression, without an internal error', async () => {
    const pieces = [
      'a',
      'b',
      'a.x',
      'a["y"]',
      '1',
      '"s"',
      'a[0]',
      'b.?z',
      '[1]',
      '{"k": a}',
      'null',
      'a.map(x, x)',
      'size(a)',
    ];
    const operators = ['+', '-', '==', '<', '&&', '||', 'in', '*', '/', '%'];
    const expression: fc.Arbitrary<string> = fc
      .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...operators)), { minLength: 1, maxLength: 6 })
      .map((parts) => `${parts.map(([piece, operator]) => `${piece} ${operator} `).join('')}b`);
    await fc.assert(
      fc.asyncProperty(expression, json, json, async (text, a, b) => {
        const { value, error, fault } = await runCel(text, { a, b });
        expect([value, error, fault].filter((one) => one !== undefined)).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});

describe('expression texts', () => {
  it('of any form are parsed or refused quickly', async () => {
    const parse = await loadParser();
    const text = fc.string({ unit: fc.constantFrom(...'()[]{}.,:?!-+*/%<>=&|"\'ab1 \n\\xru'), maxLength: 60 });
    fc.assert(
      fc.property(text, (one) => {
        try {
          parse(one);
        } catch (error) {
          expect(error).toMatchObject({ at: expect.any(Number), message: expect.any(String) });
        }
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['parentheses', `${'('.repeat(40_000)}1${')'.repeat(40_000)}`],
    ['signs', `${'!'.repeat(90_000)}true`],
    ['sums', `1${'+1'.repeat(45_000)}`],
    ['brackets', `${'['.repeat(40_000)}${']'.repeat(40_000)}`],
    ['fields', `a${'.a'.repeat(45_000)}`],
    ['branches', `${'true ? 1 : '.repeat(9_000)}2`],
    ['options', `a${'.optMap(x, x)'.repeat(100)}`],
    ['more than may be', 'a'.repeat(100_001)],
  ])('with too many %s are refused without a crash', async (_, text) => {
    const started = cpuMilliseconds();
    expect((await runCel(text, { a: 1 })).fault).toMatch(/limit|maxDepth|exceed|too large/i);
    expect(cpuMilliseconds() - started).toBeLessThan(2000);
  });

  it('of the maximum depth are evaluated', async () => {
    expect((await runCel(`1${'+1'.repeat(900)}`)).value).toBe(901n);
    const nested = `${'[1].all(x, '.repeat(80)}true${')'.repeat(80)}`;
    expect((await runCel(nested)).value).toBe(true);
  });

  it('with a long chain of conditions are balanced', async () => {
    const text = Array.from({ length: 5000 }, (_, index) => `a >= ${index - 5000}`).join(' && ');
    expect((await runCel(text, { a: 1 })).value).toBe(true);
  });

  it('compile in linear time', async () => {
    const text = Array.from({ length: 9000 }, (_, index) => `a==${index}`).join('||');
    const before = process.cpuUsage();
    expect((await runCel(text, { a: 1 })).value).toBe(true);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(4000);
  });
});

describe('expensive expressions', () => {
  const long = Array.from({ length: 3000 }, (_, index) => index);
  const text = 'x'.repeat(1_000_000);

  it.each([
    ['nested loops', 'l.all(a, l.all(b, l.all(c, a + b + c >= 0)))'],
    ['nested maps', 'l.map(a, l.map(b, l.map(c, c))).size() > 0'],
    ['a range', 'lists.range(1000000000000).size() > 0'],
    ['a replacement of the empty string by a long one', 's.replace("", s).size() > 0'],
    ['a join with a long separator', 'l.map(a, string(a)).join(s).size() > 0'],
    ['formats of long strings', `"${'%s'.repeat(1000)}".format(lists.range(1000).map(a, s)).size() > 0`],
    ['sizes of long strings', 'l.all(a, l.all(b, s.size() > 0))'],
    ['comparisons of long strings', 'l.all(a, l.all(b, [s, s, s] == [s, s, s]))'],
    ['a search for the empty string in a long one', 'l.all(a, l.all(b, s.contains("")))'],
    ['a large pattern', 's.matches("[a-z]{1,1000}[0-9]")'],
    ['many patterns', 'l.exists(a, s.substring(0, 20000).matches("([a-z]+)+[0-9]"))'],
    ['matches', '(s + "z").findAll("x[^z]*y|x").size() > 0'],
    ['sorting', 'l.map(a, l.sort()).size() > 0'],
    ['sets', 'l.all(a, sets.contains(l, l))'],
    ['distinct', 'l.all(a, l.distinct().size() > 0)'],
  ])('with %s are aborted in bounded time', async (_, expression) => {
    const started = cpuMilliseconds();
    const { error, value } = await runCel(expression, { l: long, s: text });
    expect(error ?? value).toBe('operation cancelled: actual cost limit exceeded');
    expect(cpuMilliseconds() - started).toBeLessThan(10_000);
  });

  it.each([
    ['in a literal', `"a".matches("${'a{1000}'.repeat(6)}")`, 'invalid matches argument'],
    ['at run time', `"a".matches(["${'a{1000}'.repeat(6)}"][0])`, 'must have fewer repetitions'],
  ])('with a pattern whose repetitions are too large %s are not compiled', async (_, expression, message) => {
    const { error, fault } = await runCel(expression);
    expect(fault ?? error).toContain(message);
  });
});
