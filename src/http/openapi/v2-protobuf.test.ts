import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { encodeSwaggerProtobuf } from './v2-protobuf.ts';

/** The fields of a message by number, in their order. */
function fieldsOf(bytes: Uint8Array): Map<number, (Uint8Array | number | bigint | string)[]> {
  const found = new Map<number, (Uint8Array | number | bigint | string)[]>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const value =
      wireType === WireType.LengthDelimited
        ? reader.bytes()
        : wireType === WireType.Bit64
          ? reader.double()
          : reader.int64();
    found.set(number, [...(found.get(number) ?? []), value]);
  }
  return found;
}

/**
 * Returns the bytes at a path of field numbers. For a repeated field, the path contains a pair of the field number and
 * an index.
 */
function bytesAt(bytes: Uint8Array, ...way: (number | [number, number])[]): Uint8Array {
  return way.reduce<Uint8Array>((inside, step) => {
    const [number, index] = typeof step === 'number' ? [step, 0] : step;
    const value = fieldsOf(inside).get(number)?.[index];
    if (!(value instanceof Uint8Array)) throw new Error(`there is no field ${number}`);
    return value;
  }, bytes);
}

const textAt = (bytes: Uint8Array, ...way: (number | [number, number])[]) =>
  new TextDecoder().decode(bytesAt(bytes, ...way));

const kind = { group: 'example.com', kind: 'Ship', version: 'v1' };
const document: JsonObject = {
  swagger: '2.0',
  info: { title: 'Fleet', version: 'v1' },
  paths: {
    '/ships/{name}': {
      parameters: [{ name: 'name', in: 'path', required: true, type: 'string' }],
      patch: {
        consumes: ['application/json-patch+json'],
        operationId: 'patchShip',
        parameters: [
          { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/Patch' } },
          { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true },
        ],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Ship' } } },
        'x-kubernetes-group-version-kind': kind,
      },
    },
  },
  definitions: {
    Ship: {
      type: 'object',
      description: 'A ship.',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, enum: ['a', 'b'], default: 'a' },
        masts: { type: 'integer', maximum: 7, format: 'int32' },
        flags: { type: 'array', items: { type: 'string' } },
        crew: { type: 'object', additionalProperties: { type: 'string' } },
        open: { type: 'object', additionalProperties: true },
      },
      'x-kubernetes-group-version-kind': [kind],
    },
  },
};
const bytes = encodeSwaggerProtobuf(document);

describe('the protobuf form of Swagger (OAPI-14)', () => {
  it('contains its title and its kinds', () => {
    expect(textAt(bytes, 1)).toBe('2.0');
    expect(textAt(bytes, 2, 1)).toBe('Fleet');
    const definition = bytesAt(bytes, 9, 1);
    expect(textAt(definition, 1)).toBe('Ship');
    expect(textAt(definition, 2, 4)).toBe('A ship.');
    expect(textAt(definition, 2, 22, 1)).toBe('object');
    expect(textAt(definition, 2, 19)).toBe('name');
    expect(textAt(definition, 2, 31, 1)).toBe('x-kubernetes-group-version-kind');
    expect(JSON.parse(textAt(definition, 2, 31, 2, 2))).toEqual([kind]);
  });

  it('contains nested schemas', () => {
    const property = (index: number) => bytesAt(bytes, 9, 1, 2, 25, [1, index]);
    const names = [0, 1, 2, 3, 4].map((index) => textAt(property(index), 1));
    expect(names).toEqual(['name', 'masts', 'flags', 'crew', 'open']);
    expect(fieldsOf(bytesAt(property(0), 2)).get(12)).toEqual([1n]);
    expect(textAt(property(0), 2, [20, 1], 2)).toBe('"b"');
    expect(textAt(property(0), 2, 5, 2)).toBe('"a"');
    expect(fieldsOf(bytesAt(property(1), 2)).get(7)).toEqual([7]);
    expect(textAt(property(2), 2, 23, 1, 22, 1)).toBe('string');
    expect(textAt(property(3), 2, 21, 1, 22, 1)).toBe('string');
    expect(fieldsOf(bytesAt(property(4), 2, 21)).get(2)).toEqual([1n]);
  });

  it('describes the parameters and responses of each path', () => {
    const item = bytesAt(bytes, 8, 2);
    expect(textAt(item, 1)).toBe('/ships/{name}');
    expect(textAt(item, 2, 9, 1, 2, 4, 4)).toBe('name');
    const patch = bytesAt(item, 2, 8);
    expect(textAt(patch, 5)).toBe('patchShip');
    expect(textAt(patch, 7)).toBe('application/json-patch+json');
    expect(textAt(patch, [8, 0], 1, 1, 5, 1)).toBe('#/definitions/Patch');
    expect(textAt(patch, [8, 1], 1, 2, 3, 4)).toBe('dryRun');
    expect(textAt(patch, 9, 1, 1)).toBe('200');
    expect(textAt(patch, 9, 1, 2, 1, 2, 1, 1)).toBe('#/definitions/Ship');
    expect(JSON.parse(textAt(patch, 13, 2, 2))).toEqual(kind);
  });
});
