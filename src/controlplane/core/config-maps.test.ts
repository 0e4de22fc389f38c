import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreTestEnv, expectStatusError, openCoreTestEnv } from './core.fixture.ts';

let plane: CoreTestEnv;
beforeEach(async () => {
  plane = await openCoreTestEnv();
});
afterEach(() => plane.close());

const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

describe('config maps', () => {
  it('are served with sorted map members and without empty maps', async () => {
    const made = await plane.create('configmaps', {
      metadata: { name: 'a' },
      data: { b: '1', a: '2' },
      binaryData: {},
    });
    expect(Object.keys(made.data as object)).toEqual(['a', 'b']);
    expect(made).not.toHaveProperty('binaryData');
    expect(made.metadata.generation).toBeUndefined();
  });

  it('store bytes as canonical base64', async () => {
    const made = await plane.create('configmaps', { metadata: { name: 'a' }, binaryData: { a: 'YQ\n==', b: 'YR==' } });
    expect(made.binaryData).toEqual({ a: 'YQ==', b: 'YQ==' });
  });

  it('refuse invalid keys and keys that are in both maps, with all errors in one response', async () => {
    const error = await expectStatusError(
      plane.create('configmaps', {
        metadata: { name: 'b' },
        data: { 'a b': '1', c: '2', '..': 'x', '.': 'y', '..a': 'z', ['x'.repeat(254)]: '' },
        binaryData: { c: 'AAA=', '/': 'AA==' },
      }),
    );
    expect(error.code).toBe(422);
    const causes = error.status.details?.causes?.map(({ field, message }) => `${field}: ${message}`);
    expect(causes?.sort()).toEqual(
      [
        'data[.]: Invalid value: ".": must not be \'.\'',
        'data[..]: Invalid value: "..": must not be \'..\'',
        'data[..a]: Invalid value: "..a": must not start with \'..\'',
        `data[a b]: Invalid value: "a b": ${keyRule}`,
        'data[c]: Invalid value: "c": duplicate of key present in binaryData',
        `data[${'x'.repeat(254)}]: Invalid value: "${'x'.repeat(254)}": must be no more than 253 characters`,
        `binaryData[/]: Invalid value: "/": ${keyRule}`,
      ].sort(),
    );
  });

  it('hold at most 1 MiB in both maps together', async () => {
    const data = { a: 'é'.repeat(524_287) };
    await plane.create('configmaps', { metadata: { name: 'full' }, data, binaryData: { b: 'AAA=' } });
    const error = await expectStatusError(
      plane.create('configmaps', { metadata: { name: 'over' }, data, binaryData: { b: 'AAAA' } }),
    );
    expect(error.status.message).toBe('ConfigMap "over" is invalid: []: Too long: may not be more than 1048576 bytes');
  });

  it('cannot be changed once they are immutable, except for their metadata', async () => {
    await plane.create('configmaps', { metadata: { name: 'im' }, immutable: true, data: { a: '1' } });
    const error = await expectStatusError(
      plane.update('configmaps', {
        metadata: { name: 'im' },
        immutable: false,
        data: { a: '2' },
        binaryData: { k: 'AAAA' },
      }),
    );
    const text = 'Forbidden: field is immutable when `immutable` is set';
    expect(error.status.message).toBe(
      `ConfigMap "im" is invalid: [immutable: ${text}, data: ${text}, binaryData: ${text}]`,
    );
    const labelled = { metadata: { name: 'im', labels: { a: 'b' } }, immutable: true, data: { a: '1' } };
    expect((await plane.update('configmaps', labelled)).metadata.labels).toEqual({ a: 'b' });
  });

  it.each([
    [{ data: { a: 1 } }, 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string'],
    [{ data: ['a'] }, 'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string'],
    [{ binaryData: { a: '%%' } }, 'illegal base64 data at input byte 0'],
    [
      { binaryData: { a: 5 } },
      'json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8',
    ],
    [{ immutable: 'yes' }, 'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool'],
  ])('cannot be decoded from %j (DEC-02)', async (members, detail) => {
    const error = await expectStatusError(plane.create('configmaps', { metadata: { name: 'x' }, ...members }));
    expect(error.code).toBe(400);
    expect(error.status.message).toBe(`ConfigMap in version "v1" cannot be handled as a ConfigMap: ${detail}`);
  });

  it('accept null as the empty value, as Go does', async () => {
    const made = await plane.create('configmaps', {
      metadata: { name: 'n' },
      data: { a: null, b: 'x' },
      immutable: null,
    });
    expect(made.data).toEqual({ a: '', b: 'x' });
    expect(made).not.toHaveProperty('immutable');
  });
});
