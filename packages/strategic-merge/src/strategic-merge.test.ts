import { readFileSync } from 'node:fs';
import { deepFreeze, type JsonObject, type JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { MergeSchema } from './merge-schema.ts';
import { ListOfListsError, MalformedPatchError, UnmergeablePatchError } from './patch-error.ts';
import { applyStrategicMerge } from './strategic-merge.ts';

const text: MergeSchema = { type: 'string' };
const texts: MergeSchema = { type: 'array', items: text };
const merged = { 'x-kubernetes-patch-strategy': 'merge' } as const;
const part: MergeSchema = {
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

/** The schema of the Go struct for which the test cases were generated. */
const thing = {
  kind: 'Thing',
  schema: {
    type: 'object',
    properties: {
      metadata: { type: 'object', properties: { finalizers: { ...texts, ...merged } } },
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
  } satisfies MergeSchema,
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
    if (error instanceof MalformedPatchError || error instanceof UnmergeablePatchError) return { error: error.message };
    throw error;
  }
}

describe('a strategic merge patch', () => {
  it.each(cases.map((each, index) => [index, each] as const))(
    'gives the same result as Go, case %i (PATCH-01)',
    (_, each) => {
      expect(outcome(each)).toEqual(each.result === undefined ? { error: each.error } : { result: each.result });
    },
  );

  it.each([
    ['[]', 'array'],
    ['"x"', 'string'],
    ['5', 'number'],
  ])('that is not an object, such as %s, is malformed (PATCH-10)', (document, type) => {
    expect(() => applyStrategicMerge(thing, {}, JSON.parse(document))).toThrow(
      new MalformedPatchError(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`),
    );
  });

  it.each<[string, JsonObject, new (message: string) => Error]>([
    ['a directive without the name of its list', { $setElementOrder: ['a'] }, MalformedPatchError],
    ['a member that $retainKeys does not list', { $retainKeys: ['part'], text: 'a' }, MalformedPatchError],
    ['an unknown directive', { part: { $patch: 'nonsense' } }, UnmergeablePatchError],
    ['an item without its merge key', { parts: [{ value: 1 }] }, UnmergeablePatchError],
    ['a list of lists', { names: [['a']] }, ListOfListsError],
  ])('throws an error for %s', (_, patch, type) => {
    expect(() => applyStrategicMerge(thing, { part: {}, parts: [], names: [] }, patch)).toThrow(type);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['ObjectMeta', { metadata: {} }, { metadata: { '$setElementOrder/nothing': ['a'] } }],
    ['ThingPart', { part: {} }, { part: { '$setElementOrder/nothing': ['a'] } }],
    ['Thing', { nothing: {} }, { nothing: {} }],
  ])('cannot change a list or an object that the struct %s does not have', (struct, original, patch) => {
    expect(() => applyStrategicMerge(thing, original, patch)).toThrow(
      new UnmergeablePatchError(`unable to find api field in struct ${struct} for the json field "nothing"`),
    );
  });

  it('keeps members with unusual names (PATCH-01)', () => {
    const patch = JSON.parse('{"labels":{"__proto__":"a","constructor":null}}');
    const result = applyStrategicMerge(thing, { labels: { b: 'c' } }, patch) as { labels: JsonObject };
    expect(JSON.stringify(result)).toBe('{"labels":{"b":"c","__proto__":"a"}}');
  });

  it('traverses long lists once, not once per item', () => {
    const parts = (from: number) => Array.from({ length: 50_000 }, (_, at) => ({ name: `part-${from + at}` }));
    const wanted = parts(25_000).reverse();
    const patch = { parts: wanted, '$setElementOrder/parts': wanted };
    const result = applyStrategicMerge(thing, { parts: parts(0) }, patch) as { parts: JsonValue[] };
    expect(result.parts).toHaveLength(75_000);
  });
});
