import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import { auditEvent } from './audit-event.fixture.ts';
import { EventSerializer } from './event-serializer.ts';

/** Mostly plain strings, and some that JSON escapes or that look like escaped text. */
const word = fc.constantFrom(
  '',
  'a',
  'create',
  'x y',
  'ops:admins',
  '/apis?a=b&c',
  '~',
  '[redacted]',
  '{}',
  ',',
  '127.0.0.1',
);
const odd = fc.oneof(
  fc.constantFrom(
    '"',
    '\\',
    '\n',
    '\u0000',
    '\u001f',
    '\u007f',
    '\u2028',
    'é',
    '…',
    '\ud800',
    '\udc00x',
    '😀',
    '","name":"',
  ),
  fc.string({ unit: 'binary' }),
);
const text = fc.oneof({ weight: 40, arbitrary: word }, { weight: 1, arbitrary: odd });
const texts = fc.array(text, { maxLength: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
/** Uses only a few values, so both identical arrays and equal arrays occur repeatedly. */
const groups = fc.oneof(fc.constantFrom(['a', 'b'], ['a', 'b'], ['"'], []), texts);
const user = fc.record({ username: text, groups });

/** Audit events. Their members are in the order of the type, in which the audit filter creates them. */
const events: fc.Arbitrary<AuditEvent> = fc.record({
  user: maybe(user),
  accessKey: maybe(text),
  impersonatedUser: rarely(user),
  auditID: text,
  verb: text,
  requestURI: text,
  sourceIPs: fc.oneof(fc.tuple(text), texts),
  userAgent: text,
  objectRef: maybe(
    fc.record({
      resource: text,
      namespace: maybe(text),
      name: maybe(text),
      apiGroup: maybe(text),
      apiVersion: maybe(text),
      subresource: maybe(text),
    }),
  ),
  level: fc.constantFrom<AuditEvent['level']>('Metadata', 'Request', 'RequestResponse'),
  stage: fc.constantFrom<AuditEvent['stage']>('RequestReceived', 'ResponseComplete'),
  responseStatus: maybe(
    fc.oneof(fc.record({ code: fc.integer() }), fc.record({ code: fc.integer({ min: 100, max: 599 }), reason: text })),
  ),
  requestObject: rarely(fc.constantFrom(null, 'x', { a: ['"'] })),
  responseObject: rarely(fc.constantFrom(null, false, { a: 1 })),
  decision: maybe(
    fc.oneof(
      fc.record({ allowed: fc.boolean(), reason: text }),
      fc.record({ allowed: fc.boolean(), reason: text, scopes: texts }),
    ),
  ),
  annotations: rarely(fc.dictionary(text, text)),
  agent: rarely(fc.record({ cluster: text, log: text, line: fc.nat() })),
  requestReceivedTimestamp: text,
  stageTimestamp: text,
});

describe('the serialized event', () => {
  it('equals the output of JSON.stringify, whatever was serialized before', () => {
    const made = new EventSerializer();
    fc.assert(
      fc.property(fc.array(events, { maxLength: 8 }), (all) => {
        for (const event of all) expect(made.serialize(event)).toBe(JSON.stringify(event));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the member order of a line from an agent', () => {
    const event = auditEvent({ agent: { cluster: 'c', log: 'l', line: 3 } });
    expect(new EventSerializer().serialize(event)).toBe(JSON.stringify(event));
  });

  it('contains the current caller, even if a key or a name now belongs to another user', () => {
    const made = new EventSerializer();
    const of = (username: string, groups: readonly string[], accessKey?: string) =>
      JSON.parse(made.serialize(auditEvent({ user: { username, groups }, accessKey }))) as AuditEvent;
    expect(of('anna', ['a'], 'key')).toMatchObject({ user: { username: 'anna', groups: ['a'] }, accessKey: 'key' });
    expect(of('anna', ['b'], 'key')).toMatchObject({ user: { username: 'anna', groups: ['b'] } });
    expect(of('bob', ['b'], 'key')).toMatchObject({ user: { username: 'bob', groups: ['b'] } });
    expect(of('key', ['b'])).not.toHaveProperty('accessKey');
    const from = (address: string, userAgent: string) =>
      JSON.parse(made.serialize(auditEvent({ sourceIPs: [address], userAgent }))) as AuditEvent;
    expect(from('1', 'x')).toMatchObject({ sourceIPs: ['1'], userAgent: 'x' });
    expect(from('2', 'x')).toMatchObject({ sourceIPs: ['2'], userAgent: 'x' });
  });

  it('is correct for more callers and clients than the cache holds, and for callers with many groups', () => {
    const made = new EventSerializer();
    const many = Array.from({ length: 300 }, (_, index) => `group ${index}`);
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 2_500; index++) {
        const groups = index % 100 === 0 ? many : ['a'];
        const { level, stage, requestReceivedTimestamp, stageTimestamp, auditID, verb, requestURI } = auditEvent();
        const event: AuditEvent = {
          user: { username: `user ${index}`, groups },
          auditID,
          verb,
          requestURI,
          sourceIPs: [`${index % 7}`],
          userAgent: `agent ${index}`,
          level,
          stage,
          requestReceivedTimestamp,
          stageTimestamp,
        };
        if (made.serialize(event) !== JSON.stringify(event)) throw new Error(`wrong: ${made.serialize(event)}`);
      }
    }
  });
});
