import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../field-error.ts';
import type { Schema } from '../schema/schema.ts';
import { validateEmbedded } from './embedded-resources.ts';

const resource: Schema = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { one: resource, many: { type: 'array', items: resource }, plain: { type: 'object' } },
    },
  },
};
const lines = (spec: object) =>
  validateEmbedded(schema, { spec } as Parameters<typeof validateEmbedded>[1]).map(describeFieldError);

describe('embedded resources (DEC-21)', () => {
  it('need an apiVersion and a kind, but no name', () => {
    expect(lines({ one: {}, plain: {} })).toEqual([
      'spec.one.apiVersion: Required value',
      'spec.one.kind: Required value',
    ]);
    expect(lines({ one: { apiVersion: 'v1', kind: 'Pod', metadata: {} } })).toEqual([]);
  });

  it('are reported with their paths', () => {
    const [version, kind] = lines({
      many: [
        { apiVersion: 'v1', kind: 'A' },
        { apiVersion: 'a/b/c', kind: 'a b' },
      ],
    });
    expect(version).toBe('spec.many[1].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c');
    expect(kind).toContain(
      'spec.many[1].kind: Invalid value: "a b": may have mixed case, but should otherwise match: a DNS-1035 label must',
    );
    expect(lines({ one: { apiVersion: '', kind: 5 } })).toEqual([
      'spec.one.apiVersion: Invalid value: "": must not be empty',
      'spec.one.kind: Invalid value: 5: must be a string',
    ]);
  });

  it('have the same metadata rules as other objects, with any form of name', () => {
    const metadata = { name: 'Any Name', labels: { 'a b': 'c' }, ownerReferences: [] };
    const found = lines({ one: { apiVersion: 'v1', kind: 'Pod', metadata } });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^spec.one.metadata.labels: Invalid value: "a b": name part must consist of/);
  });
});
