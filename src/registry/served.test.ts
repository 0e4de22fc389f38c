import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/meta.ts';
import { serve } from './served.ts';

const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', spec: { b: 1, a: 2 }, metadata: { name: 'x' } };

describe('the JSON of an object (DEC-25)', () => {
  it('begins with the kind where typed clients know it, whoever wrote it', () => {
    expect(serve({ builtIn: true }, object).json()).toBe(
      '{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"x"},"spec":{},"status":{}}',
    );
  });

  it('is sorted at every level elsewhere', () => {
    expect(serve({}, object).json()).toBe(
      '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x"},"spec":{"a":2,"b":1}}',
    );
  });
});
