import { describe, expect, it } from 'vitest';
import { accessKeyNotice } from './access-key-expiry.ts';

const day = 24 * 3600;
const created = '2026-01-01T00:00:00Z';
const at = (days: number) => Date.parse(created) + days * day * 1000;
const key = (spec: object, status: object = {}) => ({ metadata: { creationTimestamp: created }, spec, status });

describe('the notice about an access key', () => {
  it('says that a key expires soon, but not that a login does', () => {
    expect(accessKeyNotice(key({ ttl: 30 * day }), at(15))).toBeUndefined();
    expect(accessKeyNotice(key({ ttl: 30 * day }), at(16))).toBe('expires in 14 days');
    expect(accessKeyNotice(key({ ttl: 30 * day }), at(29.5))).toBe('expires today');
    expect(accessKeyNotice(key({ ttl: 30 * day }), at(30))).toBeUndefined();
    expect(accessKeyNotice(key({ ttl: 30 * day, type: 'Login' }), at(29))).toBeUndefined();
  });

  it('says how long a key has been unused since its creation or its last use', () => {
    expect(accessKeyNotice(key({}), at(89))).toBeUndefined();
    expect(accessKeyNotice(key({}), at(90))).toBe('unused for 90 days');
    const used = { lastActivity: new Date(at(20)).toISOString() };
    expect(accessKeyNotice(key({}, used), at(100))).toBeUndefined();
    expect(accessKeyNotice(key({}, used), at(111))).toBe('unused for 91 days');
    expect(accessKeyNotice(key({ disabled: true }), at(100))).toBeUndefined();
  });

  it('is the message of the server if there is one', () => {
    expect(accessKeyNotice(key({ ttl: 30 * day }, { message: 'disabled at noon' }), at(29))).toBe('disabled at noon');
  });
});
