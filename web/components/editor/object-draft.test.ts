import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/meta.ts';
import { StatusError } from '../../../src/api/status.ts';
import { draftObject, identityProblems, keptPart, readText, writtenPart, writtenText } from './object-draft.ts';
import { serverProblems } from './server-problems.ts';

const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', uid: 'u', resourceVersion: '7', generation: 2, labels: { x: 'y' }, managedFields: [] },
  spec: { text: 'one\ntwo\n', big: 9007199254740993n },
  status: { phase: 'Ready' },
};

describe('an object to be written', () => {
  it('is shown without what the server keeps, which stands apart', () => {
    expect(writtenPart(object)).toEqual({
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'a', labels: { x: 'y' } },
      spec: object.spec,
    });
    expect(keptPart(object)).toEqual({
      metadata: { uid: 'u', resourceVersion: '7', generation: 2 },
      status: { phase: 'Ready' },
    });
  });

  it('comes back from its text exactly as it was, with the version that was seen', () => {
    const { value } = readText(writtenText(object));
    const { managedFields: _, generation: __, ...metadata } = object.metadata;
    expect(draftObject(value ?? {}, object)).toEqual({ ...object, metadata });
  });

  it('is not read from a text that is no YAML, several documents, or no object, and it says where', () => {
    expect(readText('a: 1\nb: c: d\n')).toMatchObject({ value: undefined, problems: [{ line: 2 }] });
    expect(readText('a: 1\n---\nb: 2\n')).toMatchObject({ value: undefined });
    expect(readText('- a\n')).toMatchObject({ value: undefined });
    expect(readText('a: 1\na: 2\n')).toMatchObject({ value: { a: 2 }, problems: [{ line: 2 }] });
  });

  it('stays the same object', () => {
    const other = { ...writtenPart(object), kind: 'Other', metadata: { name: 'b' } };
    expect(identityProblems(other, object).map(({ path }) => path)).toEqual(['kind', 'metadata.name']);
    expect(identityProblems(writtenPart(object), object)).toEqual([]);
  });
});

describe('what the server says is wrong', () => {
  const refusal = (message: string, causes: { field: string; message: string }[]) =>
    new StatusError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Invalid',
      code: 422,
      details: { causes },
    } as never);

  it('is told at its fields, with the line inside a field that holds a text', () => {
    const causes = [{ field: 'spec.objects', message: 'is no template: line 2, column 4: unclosed action' }];
    expect(serverProblems(refusal('', causes))).toEqual([
      { path: 'spec.objects', line: 2, message: 'is no template: line 2, column 4: unclosed action' },
    ]);
  });

  it('names fields that it does not know in its message alone', () => {
    const message = 'strict decoding error: unknown field "spec.foo", unknown field "spec.a[0].b"';
    expect(serverProblems(refusal(message, [])).map(({ path }) => path)).toEqual(['spec.foo', 'spec.a[0].b']);
  });
});
