import fc from 'fast-check';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import type { JsonValue } from './json-value.ts';
import { yamlText } from './yaml-text.ts';

it('quotes what either version of YAML would take for something else', () => {
  for (const text of ['yes', 'on', 'null', '~', '012', '0o7', '0x1f', '1:20', '1e3', '2026-01-01', '=', '']) {
    expect(yamlText({ a: text })).toMatch(/^a: "/);
  }
});

it('is laid out as Kubernetes lays it out (NEG-04)', () => {
  expect(yamlText({ items: [{ a: '1', b: ['x'] }] })).toBe('items:\n- a: "1"\n  b:\n  - x\n');
});

it('writes 64-bit integers exactly (DEC-07)', () => {
  expect(yamlText({ a: 9223372036854775807n, b: 1 })).toBe('a: 9223372036854775807\nb: 1\n');
});

it('writes what reads back as the same', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const copy = JSON.parse(JSON.stringify(value)) as JsonValue;
      expect(load(yamlText(copy))).toEqual(copy);
    }),
  );
});
