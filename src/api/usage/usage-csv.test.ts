import { expect, it } from 'vitest';
import { csvCell, usageCsv } from './usage-csv.ts';

it('the CSV file has a row per sample, and empty cells for amounts that were not measured', () => {
  const sample = { start: '2026-11-15T12:00:00Z', seconds: 300, requests: 7, watches: 0, instances: 1, running: 1 };
  const csv = usageCsv({ currency: 'EUR', samples: [{ ...sample, cpuCores: 0.25, cost: '0.01' }] });
  expect(csv.split('\r\n')).toEqual([
    'start,seconds,requests,watches,instances,running,objects,object_bytes,worker_seconds,cpu_cores,memory_bytes,storage_bytes,cost,currency',
    '2026-11-15T12:00:00Z,300,7,0,1,1,,,,0.25,,,0.01,EUR',
    '',
  ]);
});

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['a,b', '"a,b"'],
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ['plain', 'plain'],
])('a spreadsheet does not execute %j of the CSV file', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});
