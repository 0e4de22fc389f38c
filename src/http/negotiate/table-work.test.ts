import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { printerColumns } from '../../api/apiextensions/printer-columns.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import { rowJson } from './table.ts';

const kind = (jsonPath: string, columns: number): ResourceKind => ({
  group: 'example.dev',
  version: 'v1',
  kind: 'Tower',
  plural: 'towers',
  singular: 'tower',
  namespaced: true,
  schema: { type: 'object' },
  columns:
    printerColumns(Array.from({ length: columns }, (_, at) => ({ name: `c${at}`, type: 'string', jsonPath }))) ?? [],
});

function row(resource: ResourceKind, spec: JsonValue): { cells: JsonValue[]; milliseconds: number; length: number } {
  const object = { apiVersion: 'example.dev/v1', kind: 'Tower', metadata: { name: 'a' }, spec } as KubeObject;
  const before = process.cpuUsage();
  const text = rowJson(resource, toServedObject(resource, object), { version: 'v1', include: 'None', now: 0 });
  const { user, system } = process.cpuUsage(before);
  return { ...JSON.parse(text), milliseconds: (user + system) / 1_000, length: text.length };
}

function nested(depth: number): JsonValue {
  let value: JsonValue = {};
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

describe('a row of a Table', () => {
  it('has an unknown cell if a column searches a deeply nested object too often', () => {
    expect(row(kind('..a..a..a..a..b', 1), nested(900)).cells).toEqual(['a', '<unknown>']);
    expect(row(kind('..b', 2), nested(900)).cells).toEqual(['a', null, null]);
    expect(row(kind('..a..a', 1), { a: { a: 'x' } }).cells).toEqual(['a', 'x']);
  });

  it.each([
    ['..a..a..a..a..b', Array.from({ length: 400 }, () => nested(900))],
    ['..*..*..[?(@..a==$..b)]', Array.from({ length: 250_000 }, () => ({ a: 1 }))],
    ['.spec', 'x'.repeat(3_000_000)],
    ['.spec', Array.from({ length: 250_000 }, () => ({ a: 1 }))],
  ])('takes limited time for a hundred columns %s of an object of 3 MB', (path, spec) => {
    const { milliseconds, length } = row(kind(path, 100), spec);
    // The measured time includes serializing the object once. Without a limit on the work, these rows would take many
    // seconds or never be finished.
    expect(milliseconds).toBeLessThan(5_000);
    expect(length).toBeLessThan(80_000_000);
  });

  it('prints whole objects of 3 MB', () => {
    const spec = Array.from({ length: 30_000 }, (_, at) => ({ name: `name-${at}`, text: 'x'.repeat(70) }));
    expect(row(kind('.spec', 3), spec).cells[3]).toBe(JSON.stringify(spec));
  });
});
