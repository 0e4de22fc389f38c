import { createRequire } from 'node:module';
import { cloneJson, deepFreeze, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { applyJsonPatch, maxCopiedBytes, maxPatchOperations } from './json-patch.ts';
import { jsonPatchFindings } from './json-patch-findings.ts';
import { strictPatchError } from './undecodable-patch.ts';

interface SuiteCase {
  readonly comment?: string;
  readonly doc: JsonValue;
  readonly patch: JsonValue;
  readonly expected?: JsonValue;
  readonly error?: string;
  readonly disabled?: boolean;
}

const require = createRequire(import.meta.url);

function suite(file: string): SuiteCase[] {
  return require(`json-patch-test-suite/${file}`) as SuiteCase[];
}

function statusOf(act: () => unknown): StatusError['status'] {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const rejected = 'the server rejected our request due to an error in our request';

/** Cases that the library of kube-apiserver accepts although RFC 6902 forbids them. */
const lenient = new Map<string, JsonValue>([
  ['Out of bounds (lower)', { bar: [1, 2, '5'] }],
  ["missing 'value' parameter to add", [1, null]],
  ["missing 'value' parameter to replace", [null]],
  ["missing 'value' parameter to test", [null]],
]);

/**
 * Cases that the library of kube-apiserver rejects although RFC 6902 allows them: the root can only be replaced by an
 * object or array, and never added.
 */
const refused = new Set([
  'replace whole document',
  'Toplevel scalar values OK?',
  'replacing the root of the document is possible with add',
]);

describe.each(['tests.json', 'spec_tests.json'])('the public suite %s', (file) => {
  const cases = suite(file).map((entry, index) => ({
    ...entry,
    title: `${index}: ${entry.comment ?? entry.error ?? ''}`,
  }));

  it.each(cases.filter((entry) => entry.disabled !== true))('$title', ({ doc, patch, expected, error, comment }) => {
    const deviation = lenient.get(comment ?? error ?? '');
    if (deviation !== undefined) expect(applyJsonPatch(doc, patch)).toEqual(deviation);
    else if (error !== undefined || (refused.has(comment ?? '') && isRootAdd(patch))) {
      expect(statusOf(() => applyJsonPatch(doc, patch)).message).toBe(rejected);
    } else {
      const before = cloneJson(doc);
      const result = applyJsonPatch(deepFreeze(doc), deepFreeze(patch));
      if (expected !== undefined) expect(result).toEqual(expected);
      expect(doc).toEqual(before);
    }
  });
});

function isRootAdd(patch: JsonValue): boolean {
  const [first] = patch as { op: string; path: string }[];
  return first?.path === '' && first.op === 'add';
}

describe('applyJsonPatch', () => {
  it('returns 400 for a body that is not a list of operations (PATCH-05)', () => {
    expect(statusOf(() => applyJsonPatch({}, {}))).toMatchObject({
      code: 400,
      message: 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    });
    expect(statusOf(() => applyJsonPatch({}, ['x']))).toMatchObject({
      code: 400,
      message: 'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp',
    });
    expect(statusOf(() => applyJsonPatch({}, [{ op: 'add', path: 5 }]))).toMatchObject({
      code: 400,
      message:
        'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    });
    expect(statusOf(() => applyJsonPatch({}, [null]))).toMatchObject({ code: 422 });
  });

  it('treats null as a patch without operations, as kube-apiserver does', () => {
    const document = { a: [1] };
    const patched = applyJsonPatch(document, null);
    expect(patched).toEqual(document);
    expect(patched).not.toBe(document);
  });

  it('returns 413 for more than 10 000 operations (PATCH-06)', () => {
    const operation = { op: 'test', path: '/a', value: 1 };
    expect(statusOf(() => applyJsonPatch({ a: 1 }, Array(maxPatchOperations + 1).fill(operation)))).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
    expect(applyJsonPatch({ a: 1 }, Array(maxPatchOperations).fill(operation))).toEqual({ a: 1 });
  });

  it('returns 422 without a reason if an operation cannot be applied (PATCH-07)', () => {
    const bad: JsonValue[] = [
      { op: 'test', path: '/a', value: 2 },
      { op: 'remove', path: '/b' },
      { op: 'replace', path: '/b/c', value: 1 },
      { op: 'replace', path: '/list/0', value: 1 },
      { op: 'add', path: '/list/9', value: 1 },
      { op: 'spam', path: '/a' },
      { path: '/a', value: 1 },
      { op: 'add', path: 'a', value: 1 },
      { op: 'add', value: 1 },
      { op: 'copy', from: '/b/c', path: '/c' },
      { op: 'copy', from: '/list/0', path: '/c' },
      { op: 'move', from: '/inner', path: '/inner/deeper' },
      { op: 'remove', path: '' },
      { op: 'add', path: '/a/b', value: 1 },
    ];
    for (const operation of bad) {
      const status = statusOf(() => applyJsonPatch({ a: 1, list: [], inner: {} }, [operation]));
      expect(status, JSON.stringify(operation)).toMatchObject({ code: 422, reason: 'Invalid', details: {} });
      expect(status.message).toBe(rejected);
    }
  });

  it('replaces and copies members that are absent, as kube-apiserver does (PATCH-09)', () => {
    const operations = [
      { op: 'replace', path: '/b', value: 1 },
      { op: 'copy', from: '/absent', path: '/c' },
    ];
    expect(applyJsonPatch({ a: 1 }, operations)).toEqual({ a: 1, b: 1, c: null });
  });

  it('limits copies to 3 145 728 bytes in total (PATCH-08)', () => {
    const text = 'x'.repeat(1_000_000);
    const copy = (name: string): JsonValue => ({ op: 'copy', from: '/a', path: `/${name}` });
    expect(Object.keys(applyJsonPatch({ a: text }, [copy('b'), copy('c'), copy('d')]) as object)).toHaveLength(4);
    expect(statusOf(() => applyJsonPatch({ a: text }, [copy('b'), copy('c'), copy('d'), copy('e')])).code).toBe(422);
    const exact = { a: 'x'.repeat(maxCopiedBytes - 2) };
    expect(() => applyJsonPatch(exact, [copy('b')])).not.toThrow();
    expect(statusOf(() => applyJsonPatch({ a: `${exact.a}x` }, [copy('b')])).code).toBe(422);
  });

  it('rejects copies that keep doubling the depth (PATCH-08)', () => {
    const operations: JsonValue[] = [];
    let path = '/a';
    for (let round = 0; round < 900; round++) {
      path += '/a';
      operations.push({ op: 'copy', from: '/a', path });
    }
    expect(statusOf(() => applyJsonPatch({ a: {} }, operations)).code).toBe(422);
  });

  it('unescapes ~1 and ~0, appends at -, counts negative indices from the end (PATCH-09)', () => {
    expect(applyJsonPatch({ 'a/b': { '~1': 1 } }, [{ op: 'replace', path: '/a~1b/~01', value: 2 }])).toEqual({
      'a/b': { '~1': 2 },
    });
    expect(applyJsonPatch([1, 2], [{ op: 'add', path: '/-', value: 3 }])).toEqual([1, 2, 3]);
    expect(applyJsonPatch([1, 2], [{ op: 'remove', path: '/-1' }])).toEqual([1]);
    expect(applyJsonPatch({ a: 1 }, [{ op: 'add', path: '/a', value: 2 }])).toEqual({ a: 2 });
  });

  it('passes a test for null if the member is absent, the usual way to test for absence', () => {
    expect(applyJsonPatch({ a: {} }, [{ op: 'test', path: '/a/b', value: null }])).toEqual({ a: {} });
  });

  it('creates the map for the first annotation or label (completions §2)', () => {
    const add = (path: string): JsonValue => [{ op: 'add', path, value: 'x' }];
    expect(applyJsonPatch({ metadata: {} }, add('/metadata/annotations/a~1b'))).toEqual({
      metadata: { annotations: { 'a/b': 'x' } },
    });
    expect(applyJsonPatch({ metadata: { labels: null } }, add('/metadata/labels/a'))).toEqual({
      metadata: { labels: { a: 'x' } },
    });
    expect(statusOf(() => applyJsonPatch({ metadata: {} }, add('/metadata/other/a'))).code).toBe(422);
    expect(statusOf(() => applyJsonPatch({ spec: {} }, add('/spec/labels/a'))).code).toBe(422);
  });

  it('treats __proto__ as an ordinary member', () => {
    const result = applyJsonPatch({}, [
      { op: 'add', path: '/__proto__', value: { polluted: true } },
      { op: 'add', path: '/__proto__/more', value: 1 },
    ]);
    expect(Object.keys(result as object)).toEqual(['__proto__']);
    expect(Object.hasOwn({}, 'polluted')).toBe(false);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(statusOf(() => applyJsonPatch({}, [{ op: 'add', path: '/__proto__/x', value: 1 }])).code).toBe(422);
    expect(statusOf(() => applyJsonPatch({}, [{ op: 'remove', path: '/constructor' }])).code).toBe(422);
  });

  it('keeps int64 exactly (PATCH-27)', () => {
    expect(applyJsonPatch({ a: 9007199254740993n }, [{ op: 'copy', from: '/a', path: '/b' }])).toEqual({
      a: 9007199254740993n,
      b: 9007199254740993n,
    });
  });

  it('returns no parts of its inputs', () => {
    const value = { deep: [1] };
    const result = applyJsonPatch({ kept: value }, [{ op: 'add', path: '/new', value }]) as Record<string, unknown>;
    expect(result.kept).not.toBe(value);
    expect(result.new).not.toBe(value);
  });

  it('restores the document when an added member is removed', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (doc, key, value) => {
        fc.pre(!Object.hasOwn(doc, key));
        const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const document = doc as JsonValue;
        const added = applyJsonPatch(document, [{ op: 'add', path, value: value as JsonValue }]);
        expect(
          applyJsonPatch(added, [
            { op: 'test', path, value: value as JsonValue },
            { op: 'remove', path },
          ]),
        ).toEqual(cloneJson(document));
      }),
    );
  });
});

describe('strict findings', () => {
  it('name unknown and duplicate members of operations (DEC-16)', () => {
    expect(
      jsonPatchFindings(
        [
          { op: 'add', path: '/a', foo: 1 },
          { op: 'add', path: '/a' },
        ],
        ['[1].path'],
      ),
    ).toEqual(['json patch unknown field "[0].foo"', 'json patch duplicate field "[1].path"']);
  });

  it('are returned as a 422 that quotes the patched object (DEC-15)', () => {
    expect(strictPatchError({}, '{"spec":{}}', ['unknown field "spec.foo"']).status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        ' "" is invalid: patch: Invalid value: "{\\"spec\\":{}}": strict decoding error: unknown field "spec.foo"',
    });
  });

  it('are returned without the object if the kind is confidential', () => {
    const patched = '{"spec":{"key":"a secret"}}';
    expect(strictPatchError({ confidential: true }, patched, ['unknown field "spec.foo"']).status).toMatchObject({
      code: 422,
      message: ' "" is invalid: patch: Invalid value: strict decoding error: unknown field "spec.foo"',
    });
  });
});

describe('operations on long lists', () => {
  const list = Array.from({ length: 50_000 }, () => 1);
  const moves = (count: number, from: string, path: string): JsonValue =>
    Array.from({ length: count }, () => ({ op: 'move', from, path }));

  it('are limited by the number of items that they shift', () => {
    expect(statusOf(() => applyJsonPatch({ list }, moves(9_000, '/list/0', '/list/1')))).toMatchObject({
      code: 413,
      message:
        'Request entity too large: the JSON patch shifts more than 100000000 list items; replace the whole list instead',
    });
  });

  it('are not limited at the end of a list', () => {
    expect(applyJsonPatch({ list }, moves(9_000, '/list/-1', '/list/-'))).toEqual({ list });
    expect(applyJsonPatch({ list }, moves(100, '/list/0', '/list/-'))).toEqual({ list });
  });
});
