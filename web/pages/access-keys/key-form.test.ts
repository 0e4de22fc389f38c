import { describe, expect, it } from 'vitest';
import { scopeCliFlag } from '../../../src/api/naming.ts';
import {
  daySeconds,
  describeLifetime,
  duplicateKeyForm,
  initialKeyForm,
  type KeyForm,
  keyDocument,
} from './key-form.ts';

describe('keyDocument', () => {
  it('contains only the chosen fields', () => {
    expect(keyDocument(initialKeyForm)).toEqual({ metadata: {}, spec: { ttl: 30 * daySeconds } });
    expect(keyDocument({ ...initialKeyForm, ttl: 0, afterUse: true })).toEqual({ metadata: {}, spec: {} });
  });

  it('has a scope without empty lists, and only if access is limited', () => {
    const scope = { [scopeCliFlag]: false, projects: [{ project: 'p' }], clusters: [] };
    expect(keyDocument({ ...initialKeyForm, scope }).spec.scope).toBeUndefined();
    expect(keyDocument({ ...initialKeyForm, scope, isNarrowed: true }).spec.scope).toEqual({
      projects: [{ project: 'p' }],
    });
    expect(keyDocument({ ...initialKeyForm, scope: { [scopeCliFlag]: true }, isNarrowed: true }).spec.scope).toEqual({
      [scopeCliFlag]: true,
    });
  });

  it('allows the command-line tool by default, if the scope selects something and the user has not switched it off', () => {
    const scopeOf = (scope: KeyForm['scope']) => keyDocument({ ...initialKeyForm, scope, isNarrowed: true }).spec.scope;
    const projects = [{ project: 'p' }];
    expect(scopeOf({ projects })).toEqual({ projects, [scopeCliFlag]: true });
    expect(scopeOf({ projects, [scopeCliFlag]: false })).toEqual({ projects });
    // With only the flag for the command-line tool, the key could read everything that the owner can see.
    expect(scopeOf({ projects: [] })).toEqual({});
    const copy = duplicateKeyForm({ scope: { projects } });
    expect(keyDocument(copy).spec.scope).toEqual({ projects });
  });

  it('duplicates an existing key', () => {
    const spec = {
      displayName: 'Nightly',
      team: 'ops',
      ttl: 3600,
      ttlAfterLastActivity: true,
      type: 'User',
      scope: { rules: [{ verbs: ['get'] }] },
    };
    const { type: _, ...same } = spec;
    expect(keyDocument({ ...duplicateKeyForm(spec), name: ' two ' })).toEqual({
      metadata: { name: 'two' },
      spec: same,
    });
    expect(duplicateKeyForm({ user: 'anna' })).toMatchObject({
      owner: { kind: 'User', name: 'anna' },
      isNarrowed: false,
    });
  });
});

describe('describeLifetime', () => {
  it('states when the key expires', () => {
    const now = Date.parse('2026-11-15T12:00:00Z');
    expect(describeLifetime({ ttl: 0, afterUse: true }, now)).toMatch(/does not expire/);
    expect(describeLifetime({ ttl: 7 * daySeconds, afterUse: false }, now)).toBe(
      'Expires after 7 days, on 22 Nov 2026.',
    );
    expect(describeLifetime({ ttl: 7 * daySeconds, afterUse: true }, now)).toBe('Expires after 7 days without use.');
  });
});
