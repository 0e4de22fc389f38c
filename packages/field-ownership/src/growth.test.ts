import type { JsonObject, JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { SchemaMismatchError, TooManyFieldsError } from './apply-errors.ts';
import { errorOf, object, Thing, type ThingObject, thing } from './thing.fixture.ts';
import { trackUpdate } from './track-update.ts';

const attempts = 5;
/**
 * The maximum factor by which the CPU time may grow when the input becomes four times as large. Linear work takes 4
 * times as long, a little more with sorting. Quadratic work takes 16 times as long.
 */
const maxRatio = 10;

/**
 * Checks that the CPU time grows about in proportion to the input, by comparing an input with one four times as large.
 * Repeats the measurement if the check fails, because other processes and the garbage collector disturb it. `prepare`
 * returns the work for an input with `count` parts.
 */
function expectLinearTime(count: number, prepare: (count: number) => () => void): void {
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && ratio > maxRatio; attempt++) {
    const small = cpuTime(prepare(count));
    const large = cpuTime(prepare(count * 4));
    ratio = Math.min(ratio, large / Math.max(small, 1));
  }
  expect(ratio).toBeLessThanOrEqual(maxRatio);
}

/** Returns the CPU time of `work` in milliseconds. */
function cpuTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function repeat<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

function members(count: number, member: (index: number) => JsonValue): JsonObject {
  return Object.fromEntries(repeat(count, (index) => [`key-${index}`, member(index)]));
}

/** Returns a function that applies `spec` to an object to which the same manager has already applied `spec`. */
function applyAgain(spec: JsonObject): () => void {
  const state = new Thing();
  state.apply('m', object(spec));
  return () => state.apply('m', object(structuredClone(spec)));
}

describe('the time of tracking field ownership is proportional to the size of the object', () => {
  it('for an apply of a long list with keys', () => {
    expectLinearTime(1_200, (count) => applyAgain({ list: repeat(count, (index) => ({ name: `item-${index}` })) }));
  });

  it('for an apply of a long set', () => {
    expectLinearTime(2_400, (count) => applyAgain({ set: repeat(count, (index) => `value-${index}`) }));
  });

  it('for an apply of deeply nested members', () => {
    const nested = (levels: number): JsonValue => (levels === 0 ? 'x' : { a: nested(levels - 1) });
    expectLinearTime(25, (levels) => applyAgain({ free: members(80, () => nested(levels)) }));
  });

  it('for an update of a map with many keys', () => {
    expectLinearTime(2_400, (count) => {
      const state = new Thing();
      state.update('m', object({ map: members(count, () => '1') }));
      const next = { ...state.live, spec: { map: members(count, () => '2') } } as ThingObject;
      return () => state.update('other', next);
    });
  });

  it('for a write with the managedFields of many managers', () => {
    expectLinearTime(1_500, (count) => {
      const managedFields = repeat(count, (index) => ({
        manager: `m-${index}`,
        operation: 'Update',
        apiVersion: 'g.io/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:map': { [`f:key-${index}`]: {} } } },
      }));
      const next = object({ map: members(count, () => '1') }, { managedFields });
      const now = '2026-01-01T00:00:01Z';
      return () => trackUpdate({ kind: thing, next, manager: 'm', subresource: '', now });
    });
  });
});

describe('the length of messages is limited', () => {
  const longName = 'x'.repeat(100_000);

  it('for many problems below a long path', () => {
    const list = [{ name: longName, ...members(9_000, () => 1) }];
    const error = errorOf(() => new Thing().apply('m', object({ list })));
    expect(error).toBeInstanceOf(SchemaMismatchError);
    expect(error.message.length).toBeLessThan(1_200_000);
    expect(error.message).toContain('field not declared in schema');
    expect(error.message).toContain('other problems are omitted');
  });

  it('for many conflicts below a long path, but all of them are counted', () => {
    const state = new Thing();
    state.apply('m', object({ free: { [longName]: members(9_000, () => '1') } }));
    const error = errorOf(() => state.apply('other', object({ free: { [longName]: members(9_000, () => '2') } })));
    expect(error.message.length).toBeLessThan(1_200_000);
    expect(error.message).toMatch(/^Apply failed with 9000 conflicts: conflicts with "m":\n/);
    expect(error.message).toMatch(/\n- and \d+ other fields$/);
  });

  it('not for the number of problems', () => {
    const error = errorOf(() => new Thing().apply('m', object(members(9_900, () => 1))));
    expect(error).toBeInstanceOf(SchemaMismatchError);
  });
});

describe('an object with more than 10,000 fields', () => {
  const many = members(10_001, () => '1');

  it('cannot be applied', () => {
    const state = new Thing();
    for (const spec of [{ map: many }, { set: Object.keys(many) }, { free: { a: many } }]) {
      const error = errorOf(() => state.apply('m', object(spec)));
      expect(error).toBeInstanceOf(TooManyFieldsError);
      expect(error.message).toBe(
        'the applied object has more than 10000 fields, which server-side apply does not support; use update or patch instead',
      );
    }
    state.update('m', object({ map: many }));
    expect(errorOf(() => state.apply('m', object({ a: '1' }))).message).toMatch(/^the live object has more than 10000/);
  });

  it('has no managedFields, and gets none before it is applied', () => {
    const state = new Thing();
    state.update('m', object({ a: '1' }));
    expect(state.owned('m', 'Update')).toBeDefined();
    state.update('m', object({ map: many }));
    expect(state.entries).toEqual([]);
    state.update('m', object({ map: { a: '1' } }));
    expect(state.entries).toEqual([]);
    state.apply('other', object({ b: '1' }));
    expect(state.owned('other')).toEqual({ 'f:spec': { 'f:b': {} } });
  });

  it('may have lists and maps of any size that are owned as a whole', () => {
    const state = new Thing();
    state.apply('m', object({ plainList: Object.keys(many) }));
    expect(state.owned('m')).toEqual({ 'f:spec': { 'f:plainList': {} } });
  });
});

describe('an object with managedFields of more than 512 KiB', () => {
  const map = members(600, (number) => `value-${number}`);
  const long = Object.fromEntries(Object.entries(map).map(([name, value]) => [name.padEnd(250, 'x'), value]));

  it('accepts no apply by a new manager, but applies by existing managers and updates', () => {
    const state = new Thing();
    for (let number = 0; number < 4; number++) state.apply(`m-${number}`, object({ map: long }));
    const error = errorOf(() => state.apply('further', object({ map: long })));
    expect(error).toBeInstanceOf(TooManyFieldsError);
    expect(error.message).toMatch(/^the managedFields of the live object have more than 524288 characters/);
    expect(errorOf(() => state.apply('m-0', object({ a: '1' }), { subresource: 'status' }))).toBeInstanceOf(
      TooManyFieldsError,
    );
    for (const manager of ['m-0', 'm-1']) state.apply(manager, object({ a: '1' }));
    state.apply('further', object({ a: '1' }));
    expect(state.owned('further')).toEqual({ 'f:spec': { 'f:a': {} } });
  });
});
