import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AuditQuery, readAuditQuery, writeAuditQuery } from './audit-query.ts';

const read = (text: string) => readAuditQuery(new URLSearchParams(text));

describe('readAuditQuery', () => {
  it('reads the given parameters and treats empty ones as absent', () => {
    expect(read('user=anna&limit=5&code=4xx&since=2026-01-01T00:00:00Z&text=&verb=')).toEqual({
      query: { user: 'anna', limit: 5, code: '4xx', since: '2026-01-01T00:00:00Z' },
      problems: [],
    });
    expect(read('pretty=true&timeout=5s')).toEqual({ query: {}, problems: [] });
  });

  it('reports all invalid parameters at once', () => {
    const { problems } = read(
      'limit=1001&code=7xx&decision=maybe&since=yesterday&until=2026-13-01T00:00:00Z&usr=a&verb=get&verb=list&stage=x',
    );
    expect(problems).toEqual([
      'limit must be an integer from 1 to 1000',
      'code must be a status code such as 403, or a class such as 4xx',
      'decision must be one of allowed, denied',
      'since must be an RFC 3339 time such as 2026-11-15T08:00:00Z',
      'until must be an RFC 3339 time such as 2026-11-15T08:00:00Z',
      '"usr" is not a known parameter',
      'verb must be specified only once',
      'stage must be one of RequestReceived, ResponseStarted, ResponseComplete',
    ]);
  });

  it.each(['0', '-1', '1.5', '1e2', '01', ' 1', 'x'])('rejects a limit of %j', (limit) => {
    expect(read(`limit=${limit}`).problems).toHaveLength(1);
  });

  it('does not accept inherited property names as parameters', () => {
    expect(read('__proto__=a&constructor=b').problems).toHaveLength(2);
    expect(read(`text=${'x'.repeat(1_025)}`).problems).toEqual(['text must have at most 1024 characters']);
  });

  it('reads back what writeAuditQuery writes', () => {
    const word = fc.string({ minLength: 1, maxLength: 30 });
    const queries: fc.Arbitrary<AuditQuery> = fc.record(
      {
        user: word,
        accessKey: word,
        resource: word,
        text: word,
        code: fc.constantFrom('2xx', '403'),
        decision: fc.constantFrom('allowed', 'denied'),
        limit: fc.integer({ min: 1, max: 1_000 }),
        continue: word,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(queries, (query) => {
        expect(read(writeAuditQuery(query))).toEqual({ query, problems: [] });
      }),
    );
  });
});
