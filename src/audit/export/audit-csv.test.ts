import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditEvent } from '../audit-event.fixture.ts';
import { csvField, csvHeader, csvLine } from './audit-csv.ts';

/** Reads one line of CSV. */
function fieldsOf(line: string): string[] {
  const fields = [...line.replace(/\r\n$/, '').matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)];
  return fields.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

describe('csvField', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', '"\'=1+1"'],
    ['+1', '"\'+1"'],
    ['-1', '"\'-1"'],
    ['@SUM(A1)', '"\'@SUM(A1)"'],
    [' =1', '"\' =1"'],
    ['\t=1', '"\'\t=1"'],
    ['', ''],
  ])('writes %j as %s', (value, written) => {
    expect(csvField(value)).toBe(written);
  });

  it('writes numbers and absent values', () => {
    expect([csvField(403), csvField(undefined), csvField(true)]).toEqual(['403', '', 'true']);
  });
});

describe('csvLine', () => {
  it('has one field for each column', () => {
    const line = csvLine(JSON.stringify(auditEvent({ accessKey: 'ci', userAgent: '=cmd|"/c calc"!A1' })));
    const names = fieldsOf(csvHeader);
    const fields = fieldsOf(line);
    expect(fields).toHaveLength(names.length);
    expect(fields[names.indexOf('accessKey')]).toBe('ci');
    expect(fields[names.indexOf('userAgent')]).toBe(`'=cmd|"/c calc"!A1`);
  });

  it('can be read back, and no field starts a formula (property)', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (userAgent, auditID) => {
        const fields = fieldsOf(csvLine(JSON.stringify(auditEvent({ userAgent, auditID }))));
        const read = fields[fieldsOf(csvHeader).indexOf('userAgent')] ?? '';
        expect([userAgent, `'${userAgent}`]).toContain(read);
        for (const field of fields) expect(field).not.toMatch(/^\s*[=+\-@]/);
      }),
    );
  });
});
