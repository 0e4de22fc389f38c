import { describe, expect, it } from 'vitest';
import type { Attributes } from './attributes.ts';
import { type PermissionRules, restrictRules } from './restrict-rules.ts';

const rulesOf = (resources: readonly string[], verbs: readonly string[]): PermissionRules => ({
  resourceRules: [{ verbs: [...verbs], apiGroups: ['', 'apps'], resources: [...resources] }],
  nonResourceRules: [],
  incomplete: false,
});

describe('restrictRules', () => {
  it('keeps what the credential allows, and tells that others are omitted', async () => {
    const check = (attributes: Attributes) => ({ allowed: attributes.verb === 'get', reason: '', scopes: ['x'] });
    const { resourceRules, incomplete } = await restrictRules(rulesOf(['pods'], ['get', 'list']), 'default', check);
    expect(resourceRules.map(({ verbs, apiGroups, resources }) => [verbs, apiGroups, resources])).toEqual([
      [['get'], [''], ['pods']],
      [['get'], ['apps'], ['pods']],
    ]);
    expect(incomplete).toBe(true);
  });

  it('checks a limited number of combinations, and tells that', async () => {
    let checks = 0;
    const check = () => {
      checks += 1;
      return { allowed: true, reason: '', scopes: ['x'] };
    };
    const resources = Array.from({ length: 300 }, (_, number) => `kind-${number}`);
    const verbs = Array.from({ length: 300 }, (_, number) => `verb-${number}`);
    const { incomplete, evaluationError } = await restrictRules(rulesOf(resources, verbs), 'default', check);
    expect(checks).toBeLessThanOrEqual(10_001);
    expect([incomplete, evaluationError]).toEqual([true, expect.stringContaining('only the first 10000')]);
  });
});
