import { deepFreeze, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { applyMergePatch } from './merge-patch.ts';

/** The pseudocode of RFC 7396, section 2, over maps: the reference implementation. */
function model(target: unknown, patch: unknown): unknown {
  if (!(patch instanceof Map)) return patch;
  const result = new Map(target instanceof Map ? target : []);
  for (const [name, value] of patch) {
    if (value === null) result.delete(name);
    else result.set(name, model(result.get(name), value));
  }
  return result;
}

function toMaps(value: JsonValue): unknown {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return value;
  return new Map(Object.keys(value).map((key) => [key, toMaps(value[key] as JsonValue)]));
}

const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue>(null, 1, 'x', true, 9007199254740993n, [1, null]),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('tree')),
  ),
}));

const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tree) as fc.Arbitrary<JsonObject>;

describe('applyMergePatch', () => {
  it('follows the RFC (PATCH-10)', () => {
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const result = applyMergePatch(deepFreeze(document), deepFreeze(patch));
        expect(toMaps(result)).toEqual(model(toMaps(document), toMaps(patch)));
      }),
    );
  });

  it.each([null, [], 'x', 1, true] as JsonValue[])('returns 400 for %j, which is not an object (PATCH-10)', (patch) => {
    try {
      applyMergePatch({}, patch);
      expect.unreachable();
    } catch (error) {
      expect((error as StatusError).code).toBe(400);
      expect(error).toBeInstanceOf(StatusError);
      expect((error as Error).message).toMatch(/^error decoding patch: json: cannot unmarshal \w+ into Go value/);
    }
  });

  it('keeps int64 exactly in fields that it does not name (PATCH-27)', () => {
    expect(applyMergePatch({ a: 9007199254740993n, b: 1 }, { b: 2 })).toEqual({ a: 9007199254740993n, b: 2 });
  });

  it('changes nothing with an empty patch (PATCH-22)', () => {
    expect(applyMergePatch({ a: { b: [null] } }, {})).toEqual({ a: { b: [null] } });
  });
});
