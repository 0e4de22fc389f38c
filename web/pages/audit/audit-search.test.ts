import { describe, expect, it } from 'vitest';
import { auditQuery, auditSearch, countExtraFilters } from './audit-search.ts';

describe('auditSearch', () => {
  it('keeps valid search parameters only', () => {
    expect(
      auditSearch({ text: 'x', code: 403, user: '', decision: 'maybe', within: 'toString', stages: 'some', other: 1 }),
    ).toEqual({ text: 'x', code: '403' });
    expect(auditSearch({ decision: 'denied', within: '24h', stages: 'all' })).toEqual({
      decision: 'denied',
      within: '24h',
      stages: 'all',
    });
  });
});

describe('auditQuery', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');

  it('returns one event per request unless all stages are requested', () => {
    expect(auditQuery({}, now)).toEqual({ stage: 'ResponseComplete' });
    expect(auditQuery({ stages: 'all', user: 'anna' }, now)).toEqual({ user: 'anna' });
  });

  it('computes a relative start time from the time of the search', () => {
    expect(auditQuery({ within: '1h', since: 'ignored' }, now).since).toBe('2026-11-15T11:00:00.000Z');
    expect(auditQuery({ since: '2026-11-01T00:00:00Z', until: '2026-11-02T00:00:00Z' }, now)).toMatchObject({
      since: '2026-11-01T00:00:00Z',
      until: '2026-11-02T00:00:00Z',
    });
  });
});

it('the collapsed section shows the number of its filters', () => {
  expect(countExtraFilters({ text: 'x', within: '1h', decision: 'denied' })).toBe(0);
  expect(countExtraFilters({ user: 'anna', code: '4xx', verb: undefined })).toBe(2);
});
