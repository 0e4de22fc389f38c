import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import type { AuditQuery } from '../api/audit/audit-query.ts';
import { dryRunAuditAnnotation } from '../api/naming.ts';
import { auditEvent } from './audit-event.fixture.ts';
import { auditLineMatcher, auditLineTimestamp } from './audit-line-matcher.ts';

const event = auditEvent({
  user: { username: 'anna', groups: ['g'] },
  impersonatedUser: { username: 'ben "b"', groups: [] },
  accessKey: 'ci',
  objectRef: { resource: 'projects', namespace: 'ns', name: 'red', subresource: 'status' },
  responseStatus: { code: 403, reason: 'Forbidden' },
  decision: { allowed: false, reason: 'no role' },
  stageTimestamp: '2026-01-01T10:00:00Z',
});

const matches = (query: AuditQuery, of: AuditEvent = event) => auditLineMatcher(query)(JSON.stringify(of));

describe('matchAudit', () => {
  it.each<AuditQuery>([
    {},
    { user: 'anna' },
    { user: 'ben "b"' },
    { accessKey: 'ci' },
    { verb: 'create' },
    { resource: 'projects' },
    { resource: 'projects/status' },
    { namespace: 'ns' },
    { name: 'red' },
    { stage: 'ResponseComplete' },
    { code: '403' },
    { code: '4xx' },
    { decision: 'denied' },
    { text: 'FORBIDDEN' },
    { text: 'ben "b' },
    { text: 'create red' },
    { text: '  RED anna ' },
    { text: '"verb":"create"' },
    { since: '2026-01-01T10:00:00Z', until: '2026-01-01T10:00:00Z' },
    { since: '2026-01-01T10:30:00+01:00', until: '2026-01-01T11:00:00.5+01:00' },
    { user: 'anna', verb: 'create', code: '4xx', text: 'projects' },
  ])('finds a line by %j', (query) => {
    expect(matches(query)).toBe(true);
  });

  it.each<AuditQuery>([
    { user: 'ann' },
    { user: 'g' },
    { user: 'ci' },
    { accessKey: 'anna' },
    { verb: 'red' },
    { resource: 'ns' },
    { resource: 'projects/members' },
    { resource: 'projects/' },
    { namespace: 'red' },
    { name: 'ns' },
    { stage: 'RequestReceived' },
    { code: '404' },
    { code: '5xx' },
    { decision: 'allowed' },
    { text: 'nowhere' },
    { text: 'create nowhere' },
    { since: '2026-01-01T10:00:01Z' },
    { until: '2026-01-01T09:59:59Z' },
    { user: 'anna', verb: 'get' },
  ])('does not find it by %j', (query) => {
    expect(matches(query)).toBe(false);
  });

  it('distinguishes an object from its subresources', () => {
    const itself = { ...event, objectRef: { resource: 'projects', name: 'red' } };
    expect(matches({ resource: 'projects/' }, itself)).toBe(true);
    expect(matches({ resource: 'projects' }, itself)).toBe(true);
    expect(matches({ resource: 'projects/status' }, itself)).toBe(false);
  });

  it('counts every response with 401 or 403 as denied', () => {
    const { decision: _, ...failed } = { ...event, responseStatus: { code: 401 } };
    const refusedByPolicy = { ...event, decision: { allowed: true, reason: 'admin' } };
    for (const denied of [failed, refusedByPolicy]) {
      expect([matches({ decision: 'denied' }, denied), matches({ decision: 'allowed' }, denied)]).toEqual([
        true,
        false,
      ]);
    }
    const allowed = { ...refusedByPolicy, responseStatus: { code: 422 } };
    expect([matches({ decision: 'denied' }, allowed), matches({ decision: 'allowed' }, allowed)]).toEqual([
      false,
      true,
    ]);
  });

  it('finds dry runs only if the query asks for them', () => {
    const dryRun = { ...event, annotations: { [dryRunAuditAnnotation]: 'true' } };
    expect(matches({}, dryRun)).toBe(false);
    expect(matches({ dryRuns: 'include' }, dryRun)).toBe(true);
    expect(matches({ dryRuns: 'only' }, dryRun)).toBe(true);
    expect([matches({ dryRuns: 'include' }), matches({ dryRuns: 'only' })]).toEqual([true, false]);
  });

  it('matches code and decision only against lines that have them', () => {
    const { responseStatus: _, decision: __, ...received } = event;
    expect(matches({ code: '4xx' }, received)).toBe(false);
    expect(matches({ decision: 'denied' }, received)).toBe(false);
    expect(matches({ decision: 'allowed' }, received)).toBe(false);
  });

  it('matches no invalid line', () => {
    for (const line of ['', '{"verb":"create"', 'null', '[]', '"create"'])
      expect(auditLineMatcher({})(line)).toBe(false);
  });
});

describe('writtenAt', () => {
  it('returns the time at which a line was written, whatever a client put into it', () => {
    const odd = auditEvent({
      userAgent: '"stageTimestamp":"1999-01-01T00:00:00Z"',
      requestObject: { stageTimestamp: '1999-01-01T00:00:00Z' },
    });
    expect(auditLineTimestamp(JSON.stringify(odd))).toBe(Date.UTC(2026, 0, 1));
    expect(auditLineTimestamp('{}')).toBeUndefined();
    expect(auditLineTimestamp('{"stageTimestamp":"soon"}')).toBeUndefined();
  });
});
