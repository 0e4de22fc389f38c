import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../../api/field-error.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { compileValidations } from './compile-validations.ts';
import { escapeName, unescapeName } from './escape-name.ts';

describe('names', () => {
  it('are unchanged after escaping and unescaping', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab1_-./'), minLength: 1, maxLength: 12 }), (name) => {
        const escaped = escapeName(name);
        if (escaped === undefined) return;
        expect(escaped).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]*$/);
        expect(unescapeName(escaped)).toBe(name);
      }),
    );
  });
});

describe('rules of a schema', () => {
  const item: Schema = {
    type: 'object',
    required: ['k'],
    properties: { k: { type: 'string' }, v: { type: 'integer' } },
  };
  const keyed: Schema = {
    type: 'array',
    maxItems: 50,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: item,
  };
  const schema: Schema = {
    type: 'object',
    properties: { list: keyed },
    'x-kubernetes-validations': [
      { rule: 'self.list == oldSelf.list' },
      { rule: '(self.list + oldSelf.list) == oldSelf.list' },
    ],
  };
  const items = fc.uniqueArray(fc.record({ k: fc.constantFrom('a', 'b', 'c', 'd'), v: fc.integer() }), {
    selector: ({ k }) => k,
  });

  it('treat lists with keys in another order as equal', async () => {
    const { validator } = await compileValidations(schema);
    await fc.assert(
      fc.asyncProperty(items, async (list) => {
        const errors = await validator?.validate({ list }, { old: { list: [...list].reverse() } });
        expect(errors?.map(describeFieldError)).toEqual([]);
      }),
    );
  });
});
