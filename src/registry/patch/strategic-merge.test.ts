import { readFileSync } from 'node:fs';
import { deepFreeze, type JsonObject, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../api/schema/schema.ts';
import { StatusError } from '../../api/status.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicMerge } from './strategic-merge.ts';

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };
const merged = { 'x-kubernetes-patch-strategy': 'merge' } as const;
const part: Schema = {
  type: 'object',
  properties: {
    name: text,
    value: { type: 'integer' },
    tags: { ...texts, ...merged },
    args: texts,
    ports: {
      type: 'array',
      ...merged,
      'x-kubernetes-patch-merge-key': 'port',
      items: { type: 'object', properties: { port: { type: 'integer' }, protocol: text } },
    },
    labels: { type: 'object', additionalProperties: text },
  },
};

/** The Go struct of the generated cases, as a schema. */
const thing = {
  kind: 'Thing',
  schema: {
    type: 'object',
    properties: {
      text,
      parts: { type: 'array', items: part, ...merged, 'x-kubernetes-patch-merge-key': 'name' },
      whole: { type: 'array', items: part },
      names: { ...texts, ...merged },
      plain: texts,
      labels: { type: 'object', additionalProperties: text },
      part,
      kept: { ...part, 'x-kubernetes-patch-strategy': 'retainKeys' },
      swapped: { ...part, 'x-kubernetes-patch-strategy': 'replace' },
    },
  } satisfies Schema,
};

interface Case {
  readonly original: JsonObject;
  readonly patch: JsonObject;
  readonly result?: JsonObject;
  readonly error?: string;
}

/** Random originals and patches, with the results of the Kubernetes 1.36 library. */
const cases = JSON.parse(readFileSync(new URL('go-strategic-merges.json', import.meta.url), 'utf8')) as Case[];

function outcome({ original, patch }: Case): JsonValue {
  try {
    return { result: applyStrategicMerge(thing, deepFreeze(original), deepFreeze(patch)) };
  } catch (error) {
    if (error instanceof StatusError) return { error: error.message };
    throw error;
  }
}

/** For a list of lists the API server returns only this message. */
function answered({ result, error }: Case): JsonValue {
  if (result !== undefined) return { result };
  const unsaid = error === 'lists of lists are not supported';
  return { error: unsaid ? 'the server rejected our request due to an error in our request' : (error ?? '') };
}

describe('a strategic merge patch', () => {
  it.each(cases.map((each, index) => [index, each] as const))(
    'gives the same result as Go, case %i (PATCH-01)',
    (_, each) => {
      expect(outcome(each)).toEqual(answered(each));
    },
  );

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
        const patched = applyStrategicMerge(kind, deepFreeze(original), deepFreeze(patch));
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
    expect(applyStrategicMerge(thing, original, patch)).toEqual({
      metadata: { finalizers: ['y'], ownerReferences: [owner('3', 'c'), owner('2', 'b')] },
    });
  });

  it.each([
    ['[]', 'array'],
    ['"x"', 'string'],
    ['5', 'number'],
  ])('that is not an object, such as %s, gets a 400 (PATCH-10)', (document, type) => {
    expect(() => applyStrategicMerge(thing, {}, JSON.parse(document))).toThrow(
      `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  });

  it('keeps members with unusual names (PATCH-01)', () => {
    const patch = JSON.parse('{"labels":{"__proto__":"a","constructor":null}}');
    const result = applyStrategicMerge(thing, { labels: { b: 'c' } }, patch) as { labels: JsonObject };
    expect(JSON.stringify(result)).toBe('{"labels":{"b":"c","__proto__":"a"}}');
  });

  it('traverses long lists once, not once per item', () => {
    const owners = (from: number) => Array.from({ length: 50_000 }, (_, at) => ({ uid: `uid-${from + at}` }));
    const original = { metadata: { ownerReferences: owners(0) } };
    const wanted = owners(25_000).reverse();
    const patch = { metadata: { ownerReferences: wanted, '$setElementOrder/ownerReferences': wanted } };
    const { metadata } = applyStrategicMerge(thing, original, patch) as { metadata: { ownerReferences: JsonValue[] } };
    expect(metadata.ownerReferences).toHaveLength(75_000);
  });
});
