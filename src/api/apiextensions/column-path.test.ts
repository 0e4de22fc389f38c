import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../meta.ts';
import { tableColumns, tableRow } from '../table.ts';
import { compileColumnPath } from './column-path.ts';
import { printerColumns } from './printer-columns.ts';

const ship = {
  apiVersion: 'sea.example/v1',
  kind: 'Ship',
  metadata: { name: 'a', labels: { 'app.example/name': 'pearl' }, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    masts: 3,
    ratio: 1.5,
    old: true,
    crew: [
      { name: 'jack', rank: 'captain', age: 40 },
      { name: 'will', rank: 'mate', age: 25, tags: ['x', 'y'] },
    ],
    map: { a: 1, b: 2 },
  },
} as unknown as KubeObject;

describe('the path of a column', () => {
  it.each([
    ['.spec.masts', 3],
    ['.spec.none', undefined],
    ['.spec.masts.none', undefined],
    ['.spec.crew[0].name', 'jack'],
    ['.spec.crew[-1].name', 'will'],
    ['.spec.crew[5].name', undefined],
    ['.spec.crew[*].name', 'jack'],
    ['.spec.crew[0,1].name', 'jack'],
    ['.spec.crew[1:2].name', 'will'],
    ['.spec.crew[:1].name', 'jack'],
    ['.spec.crew[?(@.rank=="mate")].name', 'will'],
    [".spec.crew[?(@.rank=='mate')].name", 'will'],
    ['.spec.crew[?(@.age > 30)].name', 'jack'],
    ['.spec.crew[?(@.age <= 25)].name', 'will'],
    ['.spec.crew[?(@.rank != "captain")].name', 'will'],
    ['.spec.crew[?(@.tags)].name', 'will'],
    ['.spec.crew[?(@.age == $.spec.none)].name', undefined],
    ["['spec']['masts']", undefined],
    [".spec['masts']", 3],
    ['.metadata.labels.app\\.example/name', 'pearl'],
    [".metadata.labels['app.example/name']", 'pearl'],
    ['..rank', 'captain'],
    ['.spec.map.*', 1],
    ['.', ship],
  ] as const)('%s leads to %j (TABLE-06)', (path, expected) => {
    expect(compileColumnPath(path)?.(ship)).toEqual(expected);
  });

  it.each(['spec', '.spec[', '.spec[x]', '.spec..', '.spec[?(x)]', `.${'a'.repeat(5000)}`])('rejects %s', (path) => {
    expect(compileColumnPath(path)).toBeUndefined();
  });
});

describe('the printer columns of a definition', () => {
  it('are the name and the defined columns, with their types (TABLE-03, TABLE-04, TABLE-06)', () => {
    const columns = printerColumns([
      { name: 'Masts', type: 'integer', jsonPath: '.spec.masts' },
      { name: 'Ratio', type: 'number', jsonPath: '.spec.ratio', priority: 1 },
      { name: 'Old', type: 'boolean', jsonPath: '.spec.old' },
      { name: 'Map', type: 'string', jsonPath: '.spec.map', description: 'A map.' },
      { name: 'None', type: 'string', jsonPath: '.spec.none' },
      { name: 'Wrong', type: 'integer', jsonPath: '.metadata.name' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ]);
    const kind = columns === undefined ? {} : { columns };
    const now = Date.parse('2026-01-01T00:05:00Z');
    expect(tableRow(kind, ship, now)).toEqual(['a', 3, 1.5, true, '{"a":1,"b":2}', null, null, '5m']);
    expect(tableColumns(kind).slice(1, 3)).toEqual([
      {
        name: 'Masts',
        type: 'integer',
        format: '',
        description: 'Custom resource definition column (in JSONPath format): .spec.masts',
        priority: 0,
      },
      expect.objectContaining({ name: 'Ratio', priority: 1 }),
    ]);
  });

  it('end before a column with an invalid path, and default to the age', () => {
    const columns = printerColumns([
      { name: 'Masts', type: 'integer', jsonPath: '.spec.masts' },
      { name: 'Bad', type: 'string', jsonPath: '.spec[' },
      { name: 'Never', type: 'string', jsonPath: '.spec.masts' },
    ]);
    expect(columns?.map(({ name }) => name)).toEqual(['Masts']);
    expect(printerColumns([])).toBeUndefined();
  });
});
