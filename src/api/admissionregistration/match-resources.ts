import { type Static, t } from '../schema/schema-builder.ts';
import { labelSelectorSchema } from '../selectors/selector-object.ts';

export const admissionGroup = 'admissionregistration.k8s.io';

function stringList(description: string) {
  return t.array(t.string(), { listType: 'atomic', description });
}

const namedRule = t.object(
  {
    resourceNames: t.optional(stringList('The names of the objects that match. If empty, all names match.')),
    operations: t.optional(
      stringList('The operations that match: CREATE, UPDATE, DELETE, CONNECT, or * for all operations.'),
    ),
    apiGroups: t.optional(
      stringList('The API groups that match. * matches all groups. The empty string is the core group.'),
    ),
    apiVersions: t.optional(stringList('The API versions that match. * matches all versions.')),
    resources: t.optional(
      stringList(
        'The resources: `pods`, `pods/log`, `*` for all resources, `pods/*` for subresources, `*/*` for everything.',
      ),
    ),
    scope: t.optional(
      t.string({ description: 'The scope of the resources that match: Cluster, Namespaced, or * for both.' }),
    ),
  },
  { atomic: true, description: 'A rule that matches requests.' },
);

export type NamedRule = Static<typeof namedRule>;

/**
 * The schema of `matchResources` and `matchConstraints`. A request matches if it matches one of the resource rules and
 * both selectors, and none of the exclude rules.
 */
export function matchResourcesSchema(description: string) {
  return t.object(
    {
      namespaceSelector: t.optional(
        labelSelectorSchema('Selects namespaces by their labels. Cluster-scoped objects always match.'),
      ),
      objectSelector: t.optional(labelSelectorSchema('Selects objects by the labels of the new or the old object.')),
      resourceRules: t.optional(
        t.array(namedRule, {
          listType: 'atomic',
          description: 'The rules that select requests. A request must match at least one of them.',
        }),
      ),
      excludeResourceRules: t.optional(
        t.array(namedRule, { listType: 'atomic', description: 'Requests that match one of these rules are excluded.' }),
      ),
      matchPolicy: t.optional(
        t.string({
          description:
            'Exact: a rule matches only the API versions that it lists. Equivalent: a rule matches all versions of a resource.',
        }),
      ),
    },
    { atomic: true, description },
  );
}

const anyMatch = matchResourcesSchema('');
export type MatchResources = Static<typeof anyMatch>;

/** Sets the default values of absent members, in place. */
export function defaultMatchResources(match: MatchResources): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}
