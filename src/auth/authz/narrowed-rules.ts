import type { Attributes, Decision } from './attributes.ts';

/** Rights as SelfSubjectRulesReview tells them. */
export interface ToldRules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[];
    readonly nonResourceURLs?: readonly string[];
  }[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** Whether a credential lets something through at all. */
export type Passes = (attributes: Attributes) => Decision | Promise<Decision>;

/**
 * What is left of somebody's rights where their credential narrows them. What a wildcard stands for is let through only
 * where the credential has the same wildcard; what is left out for that, nobody is told that they have.
 */
export async function narrowedRules<R extends ToldRules>(rules: R, namespace: string, passes: Passes): Promise<R> {
  const probe = await passes({ resourceRequest: false, verb: 'get', path: '/version' });
  if (probe.scopes === undefined) return rules;
  let isCut = false;
  const passing = async (verbs: readonly string[], asked: (verb: string) => Attributes): Promise<string[]> => {
    const kept: string[] = [];
    for (const verb of verbs) {
      if ((await passes(asked(verb))).allowed) kept.push(verb);
      else isCut = true;
    }
    return kept;
  };
  const resourceRules: ToldRules['resourceRules'][number][] = [];
  for (const rule of rules.resourceRules) {
    for (const group of rule.apiGroups ?? []) {
      for (const told of rule.resources ?? []) {
        const [resource = '', subresource = ''] = told.split('/', 2);
        const [name = ''] = rule.resourceNames ?? [];
        const base = { resourceRequest: true, group, version: '*', resource, subresource, namespace, name } as const;
        const verbs = await passing(rule.verbs, (verb) => ({ ...base, verb }));
        if (verbs.length > 0) resourceRules.push({ ...rule, verbs, apiGroups: [group], resources: [told] });
      }
    }
  }
  const nonResourceRules: ToldRules['nonResourceRules'][number][] = [];
  for (const rule of rules.nonResourceRules) {
    for (const path of rule.nonResourceURLs ?? []) {
      const verbs = await passing(rule.verbs, (verb) => ({ resourceRequest: false, verb, path }));
      if (verbs.length > 0) nonResourceRules.push({ verbs, nonResourceURLs: [path] });
    }
  }
  if (!isCut) return rules;
  const evaluationError = 'the access key narrows what may be done; what it lets through of a wildcard is not told';
  return { ...rules, resourceRules, nonResourceRules, incomplete: true, evaluationError };
}
