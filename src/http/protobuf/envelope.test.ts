import { readFileSync } from 'node:fs';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject, JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protobufBody, protobufField, protobufMagic } from '../../../test/harness/protobuf-fields.ts';
import { StatusError } from '../../api/status.ts';
import { protobufCodec } from './envelope.ts';
import { kubernetesObjects } from './kubernetes-objects.fixture.ts';

/**
 * Fixtures created by Go's serializer (k8s.io/api 0.34 and 0.36). Each fixture contains the protobuf bytes of an object
 * and the JSON that Go prints for the object.
 */
const fixtures = JSON.parse(readFileSync(new URL('go-fixtures.json', import.meta.url), 'utf8'), (_key, member) =>
  typeof member === 'string' && member.startsWith('int64:') ? BigInt(member.slice(6)) : member,
) as { name: string; protobuf: string; json: JsonObject }[];

const { decode, encode, supports } = protobufCodec;
const anything = { group: '', version: 'v1', kind: 'Namespace' };

/** Go prints zero times and absent lists as null, which an API server treats as absent. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  );
}

describe('the protobuf codec compared with Go (NEG-06)', () => {
  for (const { name, protobuf, json } of [...fixtures, ...kubernetesObjects]) {
    const bytes = new Uint8Array(Buffer.from(protobuf, 'base64'));

    it(`the codec decodes ${name} (NEG-06)`, () => {
      expect(decode(anything, bytes)).toEqual(withoutNulls(json));
    });

    it(`the codec keeps the fields of ${name} in struct order (NEG-06)`, () => {
      const order = (value: JsonValue): JsonValue =>
        Array.isArray(value)
          ? value.map(order)
          : typeof value === 'object' && value !== null
            ? Object.entries(value).flatMap(([key, member]) => [key, order(member)])
            : '';
      const decoded = decode(anything, bytes);
      const { apiVersion, kind, ...rest } = withoutNulls(json) as JsonObject;
      expect(order(decoded)).toEqual(order({ apiVersion: apiVersion ?? '', kind: kind ?? '', ...rest }));
    });

    it(`the codec encodes ${name} byte for byte (NEG-06)`, () => {
      expect(Buffer.from(encode(json)).toString('base64')).toBe(protobuf);
    });
  }
});

describe('an invalid protobuf body', () => {
  function refusal(bytes: Uint8Array): StatusError {
    try {
      decode(anything, bytes);
    } catch (error) {
      if (error instanceof StatusError) return error;
      throw error;
    }
    throw new Error('was accepted');
  }

  it('a body without the magic prefix gets 400 (NEG-06)', () => {
    expect(refusal(new TextEncoder().encode('{"kind":"Namespace"}')).code).toBe(400);
    expect(refusal(new Uint8Array()).code).toBe(400);
  });

  it('a body of a kind without protobuf support gets 400 (NEG-05)', () => {
    const bytes = Buffer.from(fixtures[0]?.protobuf ?? '', 'base64');
    bytes[bytes.indexOf('Namespace')] = 'M'.charCodeAt(0);
    expect(refusal(bytes).message).toBe('no kind "Mamespace" is registered for version "v1"');
  });

  it('any bytes give an object or 400, never another error (NEG-06)', () => {
    const bytes = fixtures.map(({ protobuf }) => new Uint8Array(Buffer.from(protobuf, 'base64')));
    fc.assert(
      fc.property(fc.constantFrom(...bytes), fc.nat(), fc.nat(255), fc.nat(), (whole, at, byte, length) => {
        const damaged = whole.slice();
        damaged[at % whole.length] = byte;
        try {
          decode(anything, damaged.slice(0, length % 4 === 0 ? length % whole.length : whole.length));
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
          expect((error as StatusError).code).toBe(400);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('a body that is nested too deep gets 400 (REQ-21)', () => {
    const writer = () => new BinaryWriter();
    let schema: Uint8Array = new Uint8Array();
    // Each level is a schema whose field `not` contains another schema.
    for (let level = 0; level < 2000; level++)
      schema = writer().tag(28, WireType.LengthDelimited).bytes(schema).finish();
    for (const field of [1, 4, 7, 2]) schema = writer().tag(field, WireType.LengthDelimited).bytes(schema).finish();
    const type = writer().tag(1, WireType.LengthDelimited).string('apiextensions.k8s.io/v1');
    type.tag(2, WireType.LengthDelimited).string('CustomResourceDefinition');
    const unknown = writer().tag(1, WireType.LengthDelimited).bytes(type.finish());
    const body = unknown.tag(2, WireType.LengthDelimited).bytes(schema).finish();
    expect(refusal(Uint8Array.of(0x6b, 0x38, 0x73, 0, ...body)).message).toContain('exceeded max depth');
  });

  it('kinds that are not built in do not support protobuf (NEG-13)', () => {
    expect(supports({ group: '', version: 'v1', kind: 'Event' })).toBe(true);
    expect(supports({ group: 'example.com', version: 'v1', kind: 'Event' })).toBe(false);
  });
});

describe('the limit of values', () => {
  const unknown = (apiVersion: string, kind: string, raw: Uint8Array): Uint8Array => {
    const type = new BinaryWriter().tag(1, WireType.LengthDelimited).string(apiVersion);
    type.tag(2, WireType.LengthDelimited).string(kind);
    const envelope = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(type.finish());
    envelope.tag(2, WireType.LengthDelimited).bytes(raw);
    return Buffer.concat([Buffer.from('k8s\0'), envelope.finish()]);
  };
  const refusal = (bytes: Uint8Array): string => {
    try {
      decode(anything, bytes);
    } catch (error) {
      if (error instanceof StatusError) return `${error.code}: ${error.message}`;
      throw error;
    }
    return '';
  };

  it('holds for messages, which may take two bytes each', () => {
    const subjects = (count: number) => Buffer.from(Array.from({ length: count }, () => [0x12, 0x00]).flat());
    const binding = (count: number) => unknown('rbac.authorization.k8s.io/v1', 'RoleBinding', subjects(count));
    expect(refusal(binding(10_000))).toBe('');
    expect(refusal(binding(100_000))).toBe(
      '400: unable to decode the protobuf body: exceeded max number of 60000 values',
    );
  });

  it('holds for maps', () => {
    const writer = new BinaryWriter();
    for (let at = 0; at < 70_000; at++) {
      writer.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(`k${at}`).join();
    }
    expect(refusal(unknown('v1', 'ConfigMap', writer.finish()))).toMatch(/exceeded max number of 60000 values$/);
  });
});

it('a body with fields that no message has is refused only if there are too many', () => {
  const decodeMap = (...parts: Buffer[]) => decode(anything, protobufBody('v1', 'ConfigMap', Buffer.concat(parts)));
  const unknownField = Buffer.from([0x7a, 0x00]);
  const many = Buffer.alloc(200_000, unknownField);
  const name = protobufField(1, protobufField(1, Buffer.from('a')));
  expect(decodeMap(name, unknownField)).toMatchObject({ metadata: { name: 'a' } });
  const metadata = (field: number) => protobufField(1, protobufField(field, many));
  for (const parts of [[many], [protobufField(1, many)], [protobufField(2, many)], [metadata(8)]]) {
    expect(() => decodeMap(...parts)).toThrow(/exceeded max number of 60000 values$/);
  }
  for (const envelope of [many, protobufField(1, many)]) {
    expect(() => decode(anything, Buffer.concat([protobufMagic, envelope]))).toThrow(/exceeded max number of 60000/);
  }
  expect(() => decodeMap(Buffer.alloc(1_000, 0x7b))).toThrow(/field 15 is a group, which is not supported$/);
});

it('a list that is encoded item by item has the same bytes as the whole list', () => {
  const items = ['a', 'b', 'c'].map((name) => ({ metadata: { name }, data: { key: name } }));
  const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '5' } };
  const writer = protobufCodec.startList(list);
  for (const item of items) expect(writer.add(item)).toBeGreaterThan(0);
  expect(writer.finish()).toEqual(encode({ ...list, items }));
});
