import { describe, expect, it } from 'vitest';
import { SchemaMismatchError } from './apply-errors.ts';
import { mergeConfiguration } from './merge-configuration.ts';
import type { TrackedKind } from './tracked-kind.ts';
import type { TrackedObject } from './tracked-object.ts';
import type { TrackedSchema } from './typed/tracked-schema.ts';

const text: TrackedSchema = { type: 'string' };
const kind: TrackedKind = {
  group: 'test.example',
  version: 'v1',
  kind: 'Widget',
  hasStatus: false,
  goForm: undefined,
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          color: text,
          parts: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: { type: 'object', properties: { name: text, size: { type: 'integer' } } },
          },
          tags: { type: 'array', items: text },
        },
      },
    },
  },
};

const widget = (spec: object): TrackedObject =>
  ({ apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name: 'w', labels: { a: '1' } }, spec }) as never;

describe('merging a configuration', () => {
  it('adds and replaces fields, merges lists by key, and removes nothing', () => {
    const object = widget({ color: 'red', tags: ['x'], parts: [{ name: 'p', size: 1 }, { name: 'q' }] });
    const merged = mergeConfiguration(kind, object, {
      metadata: { labels: { b: '2' } },
      spec: { color: 'blue', parts: [{ name: 'p', size: 2 }, { name: 'r' }] },
    });
    expect(merged).toEqual({
      ...object,
      metadata: { name: 'w', labels: { a: '1', b: '2' } },
      spec: { color: 'blue', tags: ['x'], parts: [{ name: 'p', size: 2 }, { name: 'q' }, { name: 'r' }] },
    });
    expect(object.metadata.labels).toEqual({ a: '1' });
  });

  it.each([
    [{ spec: { tags: ['y'] } }, 'may not mutate atomic arrays, maps or structs: .spec.tags'],
    [{ spec: { nope: 1 } }, 'failed to convert patch object to typed object: .spec.nope: field not declared in schema'],
    [{ spec: { parts: [{ size: 1 }] } }, 'failed to convert patch object to typed object'],
  ])('refuses %j', (configuration, message) => {
    const merge = () => mergeConfiguration(kind, widget({}), configuration);
    expect(merge).toThrow(SchemaMismatchError);
    expect(merge).toThrow(message);
  });
});
