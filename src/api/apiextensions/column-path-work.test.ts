import type { JsonValue } from '@flotilla/json';
import { WorkMeter } from '@flotilla/work-meter';
import { expectNearlyLinearGrowth } from '@flotilla/work-meter/growth.fixture.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../meta.ts';
import { tableRow } from '../table.ts';
import { type ColumnPath, compileColumnPath, compileColumnPathValues, overLimit } from './column-path.ts';
import { printerColumns } from './printer-columns.ts';

function compiled(path: string): ColumnPath {
  const found = compileColumnPath(path);
  if (found === undefined) throw new Error(`${path} is invalid`);
  return found;
}

/** Returns `{"a":{"a":…{}}}`. */
function nested(depth: number): JsonValue {
  let value: JsonValue = {};
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

/** Returns the work for evaluating a path in an object. The work is not limited. */
function workOf(path: string, object: JsonValue): number {
  const meter = new WorkMeter('the test', Number.POSITIVE_INFINITY);
  compiled(path)(object, meter);
  return meter.used;
}

describe('the work for a path', () => {
  it.each([
    '..a..a..a..a',
    '..a..a..a..a..b',
    '..*..*..*..b',
    `.a${'[0,0]'.repeat(500)}.b`,
    `${'..a'.repeat(20)}.b`,
    '..[?(@.a==$..b)].c',
  ])('is proportional to the object, though it is nested 900 levels deep: %s', (path) => {
    const steps = path.split(/\.\.|\[/).length;
    expect(workOf(path, nested(900))).toBeLessThan(900 * 60 * steps);
  });

  it.each<[string, (bytes: number) => JsonValue]>([
    ['..a..a..b', (bytes) => Array.from({ length: bytes / 600 }, () => nested(100))],
    ['..a..a..b', (bytes) => Array.from({ length: bytes / 8 }, () => ({ a: 1 }))],
    ['..[0,0][*,*].a', (bytes) => Array.from({ length: bytes / 6 }, () => [[0]])],
    ['.list[?(@.a==$.b)].c', (bytes) => ({ b: 2, list: Array.from({ length: bytes / 8 }, () => ({ a: 1 })) })],
  ])('grows no faster than n log n: %s', async (path, objectOf) => {
    await expectNearlyLinearGrowth((bytes) => workOf(path, objectOf(bytes)));
  });

  it('ends at the limit', () => {
    const meter = new WorkMeter('the test', 1_000);
    expect(compiled('..a..a..b')(nested(900), meter)).toBe(overLimit);
    expect(meter.used).toBeLessThanOrEqual(1_000);
  });

  it('includes the comparison of lists and objects', () => {
    const list = Array.from({ length: 1000 }, () => [] as JsonValue[]);
    const meter = new WorkMeter('the test', 100_000);
    expect(compiled('.list[?(@==$.list)].a')({ list }, meter)).toBe(overLimit);
  });

  it('ends with the first value', () => {
    const list = Array.from({ length: 100_000 }, (_, at) => ({ name: at }));
    expect(workOf('.list[*].name', { list })).toBeLessThan(100);
    expect(workOf('..name', { list })).toBeLessThan(100);
  });
});

describe('the first value of a path', () => {
  it('is the first of all values', () => {
    const step = fc.constantFrom(
      '..a',
      '..*',
      '[*]',
      '[0,1]',
      '.b',
      '[-1]',
      '[0:2]',
      '[?(@.a)]',
      '[?(@.a==$.b)]',
      '..[0]',
    );
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<JsonValue[]>(1, 'x', true, null),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('tree'), { maxKeys: 2 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), tree, (steps, object) => {
        const path = `.${steps.join('')}`.replace(/^\.+/, (dots) => dots.slice(0, 2));
        expect(compiled(path)(object)).toEqual(compileColumnPathValues(path)?.(object)[0]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a row with columns that are too expensive', () => {
  const object = { metadata: { name: 'a' }, spec: nested(900), text: 'x'.repeat(1000) } as unknown as KubeObject;
  const columns = printerColumns([
    { name: 'Deep', type: 'string', jsonPath: '..a..a..b' },
    { name: 'Count', type: 'integer', jsonPath: '..a..a..b' },
    { name: 'When', type: 'date', jsonPath: '..a..a..b' },
    { name: 'Spec', type: 'string', jsonPath: '.spec' },
    { name: 'Text', type: 'string', jsonPath: '.text' },
    { name: 'Name', type: 'string', jsonPath: '.metadata.name' },
  ]);

  it('shows that their values are unknown, and all other values', () => {
    const row = tableRow({ columns: columns ?? [] }, object, 0, new WorkMeter('the row', 500));
    expect(row).toEqual(['a', '<unknown>', null, '<unknown>', '<unknown>', '<unknown>', 'a']);
  });

  it('shows all values within the limit', () => {
    const row = tableRow({ columns: columns ?? [] }, object, 0, new WorkMeter('the row', 1_000_000));
    expect(row).toEqual(['a', null, null, null, JSON.stringify(nested(900)), 'x'.repeat(1000), 'a']);
  });
});

describe('a path that is expensive to parse', () => {
  it('is rejected if its filters are nested too deeply', () => {
    const filters = (depth: number) => `.a${'[?(@.b'.repeat(depth)}${')]'.repeat(depth)}`;
    expect(compileColumnPath(filters(4))).toBeDefined();
    expect(compileColumnPath(filters(5))).toBeUndefined();
    expect(compileColumnPath(filters(400))).toBeUndefined();
  });
});
