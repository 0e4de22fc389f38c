import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/meta.ts';
import { StatusError } from '../../../src/api/status.ts';
import {
  draftObject,
  editablePart,
  editableText,
  identityProblems,
  parseObjectText,
  serverPart,
} from './object-draft.ts';
import { serverProblems } from './problems/server-problems.ts';

const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', uid: 'u', resourceVersion: '7', generation: 2, labels: { x: 'y' }, managedFields: [] },
  spec: { text: 'one\ntwo\n', big: 9007199254740993n },
  status: { phase: 'Ready' },
};

describe('an object in the editor', () => {
  it('is shown without its server-managed fields, which are separate', () => {
    expect(editablePart(object)).toEqual({
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'a', labels: { x: 'y' } },
      spec: object.spec,
    });
    expect(serverPart(object)).toEqual({
      metadata: { uid: 'u', resourceVersion: '7', generation: 2 },
      status: { phase: 'Ready' },
    });
  });

  it('round-trips through its text exactly, with the version it was read at', () => {
    const { value } = parseObjectText(editableText(object));
    const { managedFields: _, generation: __, ...metadata } = object.metadata;
    expect(draftObject(value ?? {}, object)).toEqual({ ...object, metadata });
  });

  it('is rejected with a line if the text is invalid YAML, several documents, or not an object', () => {
    expect(parseObjectText('a: 1\nb: c: d\n')).toMatchObject({ value: undefined, problems: [{ line: 2 }] });
    expect(parseObjectText('a: 1\n---\nb: 2\n')).toMatchObject({ value: undefined });
    expect(parseObjectText('- a\n')).toMatchObject({ value: undefined });
    expect(parseObjectText('a: 1\na: 2\n')).toMatchObject({ value: { a: 2 }, problems: [{ line: 2 }] });
  });

  it('cannot change its identity', () => {
    const other = { ...editablePart(object), kind: 'Other', metadata: { name: 'b' } };
    expect(identityProblems(other, object).map(({ path }) => path)).toEqual(['kind', 'metadata.name']);
    expect(identityProblems(editablePart(object), object)).toEqual([]);
  });
});

describe('problems reported by the server', () => {
  const statusError = (message: string, causes: { field: string; message: string }[]) =>
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

  it('are shown at their fields, with the line inside a multi-line field', () => {
    const causes = [{ field: 'spec.objects', message: 'is no template: line 2, column 4: unclosed action' }];
    expect(serverProblems(statusError('', causes))).toEqual([
      { path: 'spec.objects', line: 2, message: 'is no template: line 2, column 4: unclosed action' },
    ]);
  });

  it('are parsed from the message for unknown fields', () => {
    const message = 'strict decoding error: unknown field "spec.foo", unknown field "spec.a[0].b"';
    expect(serverProblems(statusError(message, [])).map(({ path }) => path)).toEqual(['spec.foo', 'spec.a[0].b']);
  });
});
