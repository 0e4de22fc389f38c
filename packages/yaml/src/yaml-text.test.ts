import type { JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { yamlText } from './yaml-text.ts';

it('yamlText quotes strings that either version of YAML would read as another type', () => {
  for (const text of ['yes', 'on', 'null', '~', '012', '0o7', '0x1f', '1:20', '1e3', '2026-01-01', '=', '']) {
    expect(yamlText({ a: text })).toMatch(/^a: "/);
  }
});

it('yamlText formats like Kubernetes (NEG-04)', () => {
  expect(yamlText({ items: [{ a: '1', b: ['x'] }] })).toBe('items:\n- a: "1"\n  b:\n  - x\n');
});

it('yamlText writes 64-bit integers exactly (DEC-07)', () => {
  expect(yamlText({ a: 9223372036854775807n, b: 1 })).toBe('a: 9223372036854775807\nb: 1\n');
});

it('yamlText output parses to the same value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const copy = JSON.parse(JSON.stringify(value)) as JsonValue;
      expect(load(yamlText(copy))).toEqual(copy);
    }),
  );
});
