import { type Static, t } from '../schema/build.ts';
import { selectorObject } from '../selectors/selector-object.ts';

export const admissionGroup = 'admissionregistration.k8s.io';

function texts(description: string) {
  return t.array(t.string(), { listType: 'atomic', description });
}

const namedRule = t.object(
  {
    resourceNames: t.optional(texts('The names of the objects that are meant. None: all of them.')),
    operations: t.optional(texts('CREATE, UPDATE, DELETE, CONNECT or * for all of them.')),
    apiGroups: t.optional(texts('The API groups; * stands for all, an empty text for the core group.')),
    apiVersions: t.optional(texts('The versions of the groups; * stands for all.')),
    resources: t.optional(
      texts(
        'The resources: `pods`, `pods/log`, `*` for all resources, `pods/*` for subresources, `*/*` for everything.',
      ),
    ),
    scope: t.optional(t.string({ description: 'Cluster, Namespaced, or * for both.' })),
  },
  { atomic: true, description: 'A rule that requests fit or do not fit.' },
);

export type NamedRule = Static<typeof namedRule>;

/** Selects requests that match one of the rules and both selectors, and none of the exclude rules. */
export function matchResources(description: string) {
  return t.object(
    {
      namespaceSelector: t.optional(
        selectorObject('Which namespaces, by their labels. Objects outside of namespaces always fit.'),
      ),
      objectSelector: t.optional(selectorObject('Which objects, by their labels, as they are or as they were.')),
      resourceRules: t.optional(
        t.array(namedRule, { listType: 'atomic', description: 'What is meant: one of these has to fit.' }),
      ),
      excludeResourceRules: t.optional(
        t.array(namedRule, { listType: 'atomic', description: 'What is not meant although it fits.' }),
      ),
      matchPolicy: t.optional(
        t.string({ description: 'Exact: the version that is asked for has to be named; Equivalent: any version.' }),
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
