import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { toServedObject } from './served.ts';

const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', spec: { b: 1, a: 2 }, metadata: { name: 'x' } };

describe('the JSON of an object (DEC-25)', () => {
  it('the JSON of built-in kinds begins with the kind, whatever the order of members', () => {
    expect(toServedObject({ builtIn: true }, object).json()).toBe(
      '{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"x"},"spec":{},"status":{}}',
    );
  });

  it('the JSON of other kinds is sorted at every level', () => {
    expect(toServedObject({}, object).json()).toBe(
      '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x"},"spec":{"a":2,"b":1}}',
    );
  });
});
