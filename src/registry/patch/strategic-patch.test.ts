import { deepFreeze, type JsonObject, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../api/schema/schema.ts';
import { StatusError } from '../../api/status.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicPatch } from './strategic-patch.ts';

const thing = {
  kind: 'Thing',
  schema: {
    type: 'object',
    properties: {
      names: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
    },
  } satisfies Schema,
};
const hiddenMessage = 'the server rejected our request due to an error in our request';

type PatchedKind = Parameters<typeof applyStrategicPatch>[0];

function rejection(kind: PatchedKind, patch: JsonValue, names: string[] = ['a']): JsonValue {
  try {
    return applyStrategicPatch(kind, { names }, patch);
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.message];
    throw error;
  }
}

describe('a strategic merge patch of an object', () => {
  const names = fc.constantFrom('text', 'labels', 'part', 'name', '__proto__');
  const objects = (scalars: readonly JsonValue[]) =>
    fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonValue>(...scalars),
        fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
        tie('object'),
      ),
      object: fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
    })).object;

  it('equals a merge patch without directives and merging lists (PATCH-10, PATCH-27)', () => {
    const anything: Schema = {
      type: 'array',
      get additionalProperties() {
        return anything;
      },
    };
    const scalars = ['a', 1, true, 9007199254740993n];
    fc.assert(
      fc.property(objects(scalars), objects([...scalars, null]), (original, patch) => {
        const kind = { kind: 'Any', schema: anything };
        const patched = applyStrategicPatch(kind, deepFreeze(original), deepFreeze(patch));
        expect(patched).toEqual(applyMergePatch(original, patch));
      }),
    );
  });

  it('identifies owners by uid and finalizers by name (OWNER-01, META-18)', () => {
    const owner = (uid: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
    const original = { metadata: { finalizers: ['x', 'y'], ownerReferences: [owner('1', 'a'), owner('2', 'b')] } };
    const patch = {
      metadata: {
        '$deleteFromPrimitiveList/finalizers': ['x'],
        ownerReferences: [{ $patch: 'delete', uid: '1' }, owner('3', 'c')],
      },
    };
    expect(applyStrategicPatch(thing, original, patch)).toEqual({
      metadata: { finalizers: ['y'], ownerReferences: [owner('3', 'c'), owner('2', 'b')] },
    });
  });

  it.each<[JsonValue, number, string]>([
    [5, 400, 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
    [{ $retainKeys: 'names' }, 400, 'invalid patch format of retainKeys'],
    [{ names: [1] }, 422, 'list element types are not identical: [[a] [1]]'],
    [{ $patch: 'merge' }, 422, 'unknown patch type: merge in map: map[$patch:merge]'],
  ])('%j is rejected with the message of Kubernetes (PATCH-01, PATCH-10)', (patch, code, message) => {
    expect(rejection(thing, patch)).toEqual([code, message]);
  });

  it('does not quote values of confidential objects', () => {
    const secret = { ...thing, confidential: true };
    expect(rejection(secret, { names: [1] })).toEqual([422, hiddenMessage]);
    expect(rejection(secret, { $retainKeys: 'names' })).toEqual([400, 'invalid patch format of retainKeys']);
  });

  it('hides the message about a list of lists, as kube-apiserver does', () => {
    expect(rejection(thing, { names: [['a']] }, [])).toEqual([422, hiddenMessage]);
  });
});
