import { describe, expect, it } from 'vitest';
import { type OpenApiDocument, schemaOfKind, suggestedValues, typeText } from './schema-tree.ts';
import { schemaViolations } from './schema-violations.ts';

const document: OpenApiDocument = {
  components: {
    schemas: {
      Meta: { type: 'object', description: 'About it.', properties: { name: { type: 'string' } } },
      Thing: {
        type: 'object',
        'x-kubernetes-group-version-kind': [{ group: 'g', version: 'v1', kind: 'Thing' }],
        properties: {
          metadata: { description: 'Its name.', allOf: [{ $ref: '#/components/schemas/Meta' }] },
          spec: {
            type: 'object',
            required: ['size'],
            properties: {
              size: { type: 'integer' },
              port: { 'x-kubernetes-int-or-string': true },
              mode: { type: 'string', enum: ['a', 'b'] },
              isOn: { type: 'boolean' },
              labels: { type: 'object', additionalProperties: { type: 'string' } },
              free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              list: { type: 'array', items: { $ref: '#/components/schemas/Meta' } },
              self: { $ref: '#/components/schemas/Loop' },
            },
          },
        },
      },
      Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }] },
    },
  },
};
const tree = schemaOfKind(document, { group: 'g', version: 'v1', kind: 'Thing' });
if (tree === undefined) throw new Error('no schema');

describe('the schema of a kind', () => {
  it('resolves references, and siblings of a reference override it', () => {
    expect(tree.at(['metadata'])).toMatchObject({ description: 'Its name.', properties: { name: { type: 'string' } } });
    expect(tree.at(['spec', 'list', 4, 'name'])).toEqual({ type: 'string' });
    expect(tree.at(['spec', 'labels', 'whatever'])).toEqual({ type: 'string' });
    expect(tree.at(['spec', 'nothing', 'more'])).toBeUndefined();
    expect(tree.at(['spec', 'self'])).toEqual({});
    expect(schemaOfKind(document, { group: 'g', version: 'v2', kind: 'Thing' })).toBeUndefined();
  });

  it('describes the type of a field and its completions', () => {
    const words = (name: string) => typeText(tree.at(['spec', name]) ?? {}, tree);
    expect(['size', 'port', 'mode', 'labels', 'list'].map(words)).toEqual([
      'integer',
      'number or string',
      'enum',
      'map',
      'list of object',
    ]);
    expect(suggestedValues(tree.at(['spec', 'isOn']) ?? {})).toEqual(['true', 'false']);
  });

  it('reports every violation and nothing else', () => {
    const faults = (spec: object) => schemaViolations({ spec } as never, tree).map(({ steps }) => steps.join('.'));
    expect(
      faults({ size: 1, port: 'http', mode: 'a', labels: { a: 'b' }, free: { x: 1 }, list: [{ name: 'a' }] }),
    ).toEqual([]);
    expect(faults({ size: 1.5, port: true, mode: 'c', isOn: 'yes', labels: { a: 1 }, list: {}, more: 1 })).toEqual([
      'spec.size',
      'spec.port',
      'spec.mode',
      'spec.isOn',
      'spec.labels.a',
      'spec.list',
      'spec.more',
    ]);
    expect(faults({})).toEqual(['spec']);
    expect(faults({ size: null, isOn: null })).toEqual([]);
  });
});
