import { type Static, t } from '../schema/schema-builder.ts';
import { selectorObject } from '../selectors/selector-object.ts';

export const admissionGroup = 'admissionregistration.k8s.io';

function texts(description: string) {
  return t.array(t.string(), { listType: 'atomic', description });
}

const namedRule = t.object(
  {
    resourceNames: t.optional(texts('The names of the matching objects. Empty for all.')),
    operations: t.optional(texts('The operations: CREATE, UPDATE, DELETE, CONNECT or * for all.')),
    apiGroups: t.optional(texts('The API groups. * matches all groups, the empty string is the core group.')),
    apiVersions: t.optional(texts('The API versions. * matches all versions.')),
    resources: t.optional(
      texts(
        'The resources: `pods`, `pods/log`, `*` for all resources, `pods/*` for subresources, `*/*` for everything.',
      ),
    ),
    scope: t.optional(t.string({ description: 'Cluster, Namespaced, or * for both.' })),
  },
  { atomic: true, description: 'A rule that matches requests.' },
);

export type NamedRule = Static<typeof namedRule>;

/** Selects requests that match one of the rules and both selectors, and none of the exclude rules. */
export function matchResources(description: string) {
  return t.object(
    {
      namespaceSelector: t.optional(
        selectorObject('Selects namespaces by their labels. Cluster-scoped objects always match.'),
      ),
      objectSelector: t.optional(selectorObject('Selects objects by the labels of the new or the old object.')),
      resourceRules: t.optional(
        t.array(namedRule, {
          listType: 'atomic',
          description: 'The rules that select requests. At least one must match.',
        }),
      ),
      excludeResourceRules: t.optional(
        t.array(namedRule, { listType: 'atomic', description: 'The rules that exclude requests.' }),
      ),
      matchPolicy: t.optional(
        t.string({
          description: 'Exact matches only the listed versions, Equivalent matches every version of a resource.',
        }),
      ),
    },
    { atomic: true, description },
  );
}

const anyMatch = matchResources('');
export type MatchResources = Static<typeof anyMatch>;

/** Applies the defaults, in place. */
export function defaultMatchResources(match: MatchResources): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}
