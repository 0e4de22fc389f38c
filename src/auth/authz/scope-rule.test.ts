import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileScopeRule, scopeRuleMatches } from './scope-rule.ts';

/** Reference implementation: true if the pattern matches `pods`, `pods/log`, or everything. */
function patternMatches(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*') return true;
  const [wantedResource, wantedSubresource] = pattern.split('/');
  if (wantedResource !== '*' && wantedResource !== resource) return false;
  if (wantedSubresource === undefined) return subresource === '';
  return subresource !== '' && (wantedSubresource === '*' || wantedSubresource === subresource);
}

it('a scope rule matches a resource if one of its patterns does', () => {
  const names = fc.constantFrom('pods', 'nodes', '*');
  const subresources = fc.constantFrom('log', 'status', '*');
  const pattern = fc.oneof(
    names,
    fc.tuple(names, subresources).map((both) => both.join('/')),
  );
  fc.assert(
    fc.property(
      fc.array(pattern, { minLength: 1, maxLength: 4 }),
      names,
      fc.oneof(fc.constant(''), subresources),
      (resources, resource, subresource) => {
        const rule = compileScopeRule({ resources: [{ group: '', resources }] });
        const attributes = {
          resourceRequest: true,
          verb: 'get',
          group: '',
          version: 'v1',
          resource,
          subresource,
          namespace: '',
          name: '',
        } as const;
        expect(scopeRuleMatches(rule, attributes, { collection: false })).toBe(
          resources.some((each) => patternMatches(each, resource, subresource)),
        );
      },
    ),
    { numRuns: 2_000 },
  );
});
