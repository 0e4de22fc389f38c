import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configMapKind } from '../core/config-map.ts';
import { eventKind } from '../core/event.ts';
import { leaseKind } from '../core/lease.ts';
import { resourceQuotaKind } from '../core/resource-quota.ts';
import { secretKind } from '../core/secret.ts';
import { serviceAccountKind } from '../core/service-account.ts';
import { DecodeError } from './decode-error.ts';
import { decodeIntoGoStruct } from './decode-into-go-struct.ts';

function fault(kind: Parameters<typeof decodeIntoGoStruct>[0], members: JsonObject): string {
  try {
    decodeIntoGoStruct(kind, members);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a document decoded into a Go struct (DEC-02, DEC-25)', () => {
  it('has members in struct order and map members sorted by name', () => {
    const shaped = decodeIntoGoStruct(configMapKind, {
      binaryData: {},
      data: { b: '', a: '', é: '', Z: '' },
      immutable: true,
    });
    expect(Object.keys(shaped)).toEqual(['immutable', 'data', 'binaryData']);
    expect(Object.keys(shaped.data as JsonObject)).toEqual(['Z', 'a', 'b', 'é']);
  });

  it('keeps all map members, including special JavaScript property names', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString'), fc.string()), fc.string()),
        (data) => {
          const sent = { data: JSON.parse(JSON.stringify(data)) as JsonObject };
          const shaped = decodeIntoGoStruct(configMapKind, sent).data as JsonObject;
          expect(Object.entries(shaped).sort()).toEqual(Object.entries(sent.data).sort());
        },
      ),
    );
  });

  it('drops a null member, and reads a null in a map or list as the zero value', () => {
    expect(decodeIntoGoStruct(configMapKind, { immutable: null, data: { a: null } })).toEqual({ data: { a: '' } });
    expect(decodeIntoGoStruct(serviceAccountKind, { secrets: [null] })).toEqual({ secrets: [{}] });
    expect(decodeIntoGoStruct(resourceQuotaKind, { spec: { hard: { pods: null } } })).toEqual({
      spec: { hard: { pods: '0' } },
    });
  });

  it.each([
    [
      serviceAccountKind,
      { secrets: 'a' },
      'string into Go struct field ServiceAccount.secrets of type []v1.ObjectReference',
    ],
    [
      serviceAccountKind,
      { secrets: ['a'] },
      'string into Go struct field ServiceAccount.secrets of type v1.ObjectReference',
    ],
    [
      serviceAccountKind,
      { secrets: [{ name: 1 }] },
      'number into Go struct field ObjectReference.secrets.name of type string',
    ],
    [leaseKind, { spec: [] }, 'array into Go struct field Lease.spec of type v1.LeaseSpec'],
    [
      leaseKind,
      { spec: { leaseTransitions: 'x' } },
      'string into Go struct field LeaseSpec.spec.leaseTransitions of type int32',
    ],
    [
      leaseKind,
      { spec: { leaseTransitions: 1.5 } },
      'number 1.5 into Go struct field LeaseSpec.spec.leaseTransitions of type int32',
    ],
    [eventKind, { count: 2_147_483_648 }, 'number 2147483648 into Go struct field Event.count of type int32'],
  ])('refuses what is of another type: %#', (kind, members, detail) => {
    expect(fault(kind, members)).toBe(`json: cannot unmarshal ${detail}`);
  });

  it('canonicalizes bytes and quantities, and rejects invalid ones', () => {
    expect(decodeIntoGoStruct(secretKind, { data: { a: 'YQ\r\n==', b: 'YR==' } })).toEqual({
      data: { a: 'YQ==', b: 'YQ==' },
    });
    expect(decodeIntoGoStruct(resourceQuotaKind, { spec: { hard: { cpu: 0.5, pods: 10 } } })).toEqual({
      spec: { hard: { cpu: '500m', pods: '10' } },
    });
    expect(fault(secretKind, { data: { a: 'a b' } })).toBe('illegal base64 data at input byte 1');
    expect(fault(resourceQuotaKind, { spec: { hard: { cpu: [] } } })).toMatch(/^quantities must match/);
    const longer = `${'1'.repeat(124)}e119`;
    expect(fault(resourceQuotaKind, { spec: { hard: { cpu: longer } } })).toMatch(/^quantities must match/);
  });
});
