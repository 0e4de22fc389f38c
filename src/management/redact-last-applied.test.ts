import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/meta.ts';
import { redactLastApplied } from './redact-last-applied.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

function cut(text: string | undefined): string | undefined {
  const annotations = Object.freeze({ other: 'kept', ...(text === undefined ? {} : { [annotation]: text }) });
  const object: KubeObject = { apiVersion: 'v1', kind: 'K', metadata: { annotations } };
  redactLastApplied(object, [
    ['spec', 'key'],
    ['spec', 'deep', 'secret'],
  ]);
  expect(object.metadata.annotations?.other).toBe('kept');
  return object.metadata.annotations?.[annotation];
}

describe('redactLastApplied', () => {
  it('the given fields are removed and the rest is kept', () => {
    expect(cut('{"spec":{"deep":{"secret":"s","x":1},"key":"k","n":9007199254740993}}')).toBe(
      '{"spec":{"deep":{"x":1},"n":9007199254740993}}\n',
    );
  });

  it('an annotation without these fields is unchanged', () => {
    expect(cut('{ "spec": {} }\n')).toBe('{ "spec": {} }\n');
    expect(cut(undefined)).toBeUndefined();
  });

  it('an annotation that cannot be parsed is dropped', () => {
    expect(cut('{"spec":{"key":"k"')).toBeUndefined();
    expect(cut('spec:\n  key: k\n')).toBeUndefined();
  });

  it('an annotation that is not a manifest or has a duplicate member is dropped', () => {
    expect(cut('[{"spec":{"key":"k"}}]')).toBeUndefined();
    expect(cut('"k"')).toBeUndefined();
    expect(cut('{"spec":{"key":"k"},"spec":{"x":1}}')).toBeUndefined();
  });
});
