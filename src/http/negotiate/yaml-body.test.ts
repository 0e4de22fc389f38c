import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { joinForYaml, yamlBody } from './yaml-body.ts';

const nested = (levels: number): JsonValue => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe('a response in YAML', () => {
  it('is converted from JSON', () => {
    expect(yamlBody('{"a":[1,{"b":"x"}]}')).toBe('a:\n- 1\n- b: x\n');
  });

  it.each([
    ['too many values', Array.from({ length: 70_000 }, () => 1)],
    ['a text that is too long', 'x'.repeat(4_000_000)],
    ['values that are nested too deeply', nested(500)],
  ])('stays JSON, which is also YAML, if it has %s', (_name, value) => {
    const json = JSON.stringify(value);
    expect(yamlBody(json)).toBe(`${json}\n`);
  });

  it('is joined from the items of a list, unless they are too long', () => {
    const list = (items: string[]) => joinForYaml({ head: '[', items, tail: ']' });
    expect(list(['1', '2'])).toBe('[1,2]');
    const long = Array.from({ length: 5 }, () => `"${'x'.repeat(1_000_000)}"`);
    const joined = list(long);
    expect(typeof joined === 'string' ? [] : [...joined.items]).toEqual(long);
  });
});
