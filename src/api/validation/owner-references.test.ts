import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '../meta.ts';
import { maxOwnerReferences, validateOwnerReferences } from './owner-references.ts';

const owners = (count: number, change: Partial<OwnerReference> = {}): OwnerReference[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: `owner-${index}`,
    uid: `uid-${index}`,
    ...change,
  }));

describe('owner references', () => {
  it('are limited in number, and the error names the limit', () => {
    expect(validateOwnerReferences(owners(maxOwnerReferences), 'at')).toEqual([]);
    expect(validateOwnerReferences(owners(11_000), 'at')).toEqual([
      { type: 'FieldValueTooMany', field: 'at', message: 'Too many: 11000: must have at most 200 items' },
    ]);
  });

  it('may become fewer if there are already too many', () => {
    expect(validateOwnerReferences(owners(1500), 'at', 1500)).toEqual([]);
    expect(validateOwnerReferences(owners(1501), 'at', 1500)).toHaveLength(1);
  });

  it('with hundreds of controllers cause a limited amount of errors', () => {
    const errors = validateOwnerReferences(owners(maxOwnerReferences, { controller: true }), 'at');
    expect(errors.length).toBeGreaterThan(0);
    const characters = errors.reduce((sum, { message }) => sum + message.length, 0);
    expect(characters).toBeLessThan(300_000);
    expect(validateOwnerReferences(owners(20, { controller: true }), 'at')).toHaveLength(19);
  });
});
