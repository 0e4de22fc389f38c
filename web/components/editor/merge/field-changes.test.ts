import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../../../../src/api/meta.ts';
import { fieldChanges, fieldWriter } from './field-changes.ts';

function entry(manager: string, time: string, fieldsV1: object, subresource?: string): ManagedFieldsEntry {
  const more = subresource === undefined ? {} : { subresource };
  return {
    manager,
    time,
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1 as never,
    ...more,
  };
}

describe('field changes', () => {
  it('are reported at the deepest path', () => {
    const before = { spec: { a: 1, list: [{ b: 1 }], gone: true } };
    const after = { spec: { a: 1, list: [{ b: 2 }], added: [] } };
    expect(fieldChanges(before, after)).toEqual([
      { steps: ['spec', 'list', 0, 'b'], before: 1, after: 2 },
      { steps: ['spec', 'gone'], before: true, after: undefined },
      { steps: ['spec', 'added'], before: undefined, after: [] },
    ]);
    expect(
      fieldChanges([{ name: 'a', x: 1 }, { name: 'b' }], [{ name: 'b' }, { name: 'a', x: 2 }, { name: 'c' }]),
    ).toEqual([
      { steps: [1, 'x'], before: 1, after: 2 },
      { steps: [2], before: undefined, after: { name: 'c' } },
    ]);
    expect(fieldChanges([1], [1, 2])).toEqual([{ steps: [], before: [1], after: [1, 2] }]);
  });

  it('name the latest owner of the field, or the last writer if the field is gone', () => {
    const object = { spec: { a: 1, items: [{ name: 'x', image: 'i' }] } };
    const entries = [
      entry('kubectl', '2026-01-01T00:00:00Z', { 'f:spec': { 'f:a': {}, 'f:old': {} } }),
      entry('terraform', '2026-01-02T00:00:00Z', {
        'f:spec': { 'f:a': {}, 'f:items': { 'k:{"name":"x"}': { '.': {}, 'f:image': {} } } },
      }),
      entry('console', '2026-01-03T00:00:00Z', { 'f:spec': { 'f:b': {} } }),
      entry('server', '2026-01-04T00:00:00Z', { 'f:spec': {} }, 'status'),
    ];
    expect(fieldWriter(['spec', 'a'], object, entries)?.manager).toBe('terraform');
    expect(fieldWriter(['spec', 'items', 0, 'image'], object, entries)?.manager).toBe('terraform');
    expect(fieldWriter(['spec', 'gone'], object, entries)?.manager).toBe('console');
    expect(fieldWriter(['spec', 'a'], object, [])).toBeUndefined();
  });
});
