import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { goStructOf } from '../../api/structs/kind-structs.ts';
import { findStructProblem } from './struct-problem.ts';

function problem(apiVersion: string, kind: string, document: JsonObject): string | undefined {
  const its = goStructOf(apiVersion, kind);
  if (its === undefined) throw new Error(`${kind} has no struct`);
  return findStructProblem(its, document);
}

describe('the result of a patch', () => {
  it.each<[JsonObject, string | undefined]>([
    [{ data: { a: 'b' }, immutable: true }, undefined],
    [{ data: null, immutable: null }, undefined],
    [{ data: { a: null } }, undefined],
    [{ data: 'x' }, 'cannot restore map from string'],
    [{ data: ['x'] }, 'cannot restore map from slice'],
    [{ data: { a: 5 } }, 'cannot convert int64 to string'],
    [{ data: { a: 1.5 } }, 'unrecognized type: string'],
    [{ data: { a: {} } }, 'unrecognized type: string'],
    [{ immutable: 'yes' }, 'unrecognized type: bool'],
    [{ metadata: [] }, 'cannot restore struct from: slice'],
    [{ metadata: { finalizers: 'x' } }, 'cannot restore slice from string'],
    [{ metadata: { generation: 1.5 } }, 'cannot convert float64 to int64'],
  ])('is a ConfigMap, or has the error message of Kubernetes: %j (PATCH-11)', (document, expected) => {
    expect(problem('v1', 'ConfigMap', document)).toBe(expected);
  });

  it('is checked in embedded structs, but not for int-or-string values (PATCH-11)', () => {
    const rules = (rule: JsonObject) => ({ spec: { matchConstraints: { resourceRules: [rule] } } });
    const policy = (rule: JsonObject) =>
      problem('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', rules(rule));
    expect(policy({ operations: ['CREATE'], scope: '*' })).toBeUndefined();
    expect(policy({ operations: 'CREATE' })).toBe('cannot restore slice from string');
    const schema = (items: JsonObject[string]) => ({
      spec: { versions: [{ schema: { openAPIV3Schema: { items } } }] },
    });
    expect(problem('apiextensions.k8s.io/v1', 'CustomResourceDefinition', schema(true))).toBeUndefined();
  });
});
