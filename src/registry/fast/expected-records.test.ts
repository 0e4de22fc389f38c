import { describe, expect, it } from 'vitest';
import type { StoredRecord } from '../resource.ts';
import { ExpectedRecords } from './expected-records.ts';

const place = { namespace: 'a', name: 'b' };
const record = (name: string): StoredRecord => ({ object: { apiVersion: 'v1', kind: 'K', metadata: { name } } });

describe('expected records', () => {
  it('a record is found by its key and its exact text until the write has ended', () => {
    const expected = new ExpectedRecords();
    const one = record('one');
    const settled = expected.add(place, 'text', one);
    expect(expected.find(place, 'text')).toBe(one);
    expect(expected.find(place, 'other')).toBeUndefined();
    expect(expected.find({ namespace: '', name: 'b' }, 'text')).toBeUndefined();
    settled();
    expect(expected.find(place, 'text')).toBeUndefined();
  });

  it('of two writes to one key, the record of the later one is found, whichever ends first', () => {
    const expected = new ExpectedRecords();
    const later = record('later');
    const settled = expected.add(place, 'earlier', record('earlier'));
    expected.add(place, 'later', later);
    settled();
    expect(expected.find(place, 'earlier')).toBeUndefined();
    expect(expected.find(place, 'later')).toBe(later);
  });
});
