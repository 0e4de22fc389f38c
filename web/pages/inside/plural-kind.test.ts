import { describe, expect, it } from 'vitest';
import { pluralKind } from './plural-kind.ts';

describe('pluralKind', () => {
  it.each([
    ['Namespace', 'namespaces', 'Namespaces'],
    ['Ingress', 'ingresses', 'Ingresses'],
    ['NetworkPolicy', 'networkpolicies', 'NetworkPolicies'],
    ['Endpoints', 'endpoints', 'Endpoints'],
    ['Person', 'people', 'People'],
    ['Ox', 'yaks', 'Ox'],
  ])('capitalizes the plural of %s', (kind, plural, expected) => {
    expect(pluralKind({ kind, plural })).toBe(expected);
  });
});
