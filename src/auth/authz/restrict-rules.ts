import type { Attributes, Decision } from './attributes.ts';

/** The permissions of a caller in the format of a SelfSubjectRulesReview. */
export interface PermissionRules {
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

/** Checks whether the credential of the caller allows a request, independent of the user's permissions. */
export type CredentialCheck = (attributes: Attributes) => Decision | Promise<Decision>;

/**
 * The maximum number of combinations of a verb with a resource or path that are checked. A few rules written by a
 * tenant can contain billions of combinations.
 */
const maxChecks = 10_000;

/**
 * Restricts a caller's permissions to the permissions that the caller's credential allows. A wildcard is kept only if
 * the credential allows the same wildcard. Otherwise the wildcard is omitted, even if the credential allows a part of
 * it.
 */
export async function restrictRules<R extends PermissionRules>(
  rules: R,
  namespace: string,
  checkCredential: CredentialCheck,
): Promise<R> {
  const probe = await checkCredential({ resourceRequest: false, verb: 'get', path: '/version' });
  if (probe.scopes === undefined && probe.boundary === undefined) return rules;
  let isRestricted = false;
  let checks = 0;
  const allowedVerbs = async (
    verbs: readonly string[],
    attributesOf: (verb: string) => Attributes,
  ): Promise<string[]> => {
    const kept: string[] = [];
    for (const verb of verbs) {
      checks += 1;
      if (checks > maxChecks) {
        isRestricted = true;
        break;
      }
      if ((await checkCredential(attributesOf(verb))).allowed) kept.push(verb);
      else isRestricted = true;
    }
    return kept;
  };
  const resourceRules: PermissionRules['resourceRules'][number][] = [];
  for (const rule of rules.resourceRules) {
    for (const group of rule.apiGroups ?? []) {
      for (const resourcePath of rule.resources ?? []) {
        if (checks > maxChecks) break;
        const [resource = '', subresource = ''] = resourcePath.split('/', 2);
        const [name = ''] = rule.resourceNames ?? [];
        const base = { resourceRequest: true, group, version: '*', resource, subresource, namespace, name } as const;
        const verbs = await allowedVerbs(rule.verbs, (verb) => ({ ...base, verb }));
        if (verbs.length > 0) resourceRules.push({ ...rule, verbs, apiGroups: [group], resources: [resourcePath] });
      }
    }
  }
  const nonResourceRules: PermissionRules['nonResourceRules'][number][] = [];
  for (const rule of rules.nonResourceRules) {
    for (const path of rule.nonResourceURLs ?? []) {
      if (checks > maxChecks) break;
      const verbs = await allowedVerbs(rule.verbs, (verb) => ({ resourceRequest: false, verb, path }));
      if (verbs.length > 0) nonResourceRules.push({ verbs, nonResourceURLs: [path] });
    }
  }
  if (!isRestricted) return rules;
  const restriction = [probe.boundary, probe.scopes && 'the scope of the access key'].filter(Boolean).join(' and ');
  const consequence =
    checks > maxChecks
      ? `only the first ${maxChecks} combinations of verb and resource were checked`
      : 'wildcards that are allowed in part are omitted';
  const evaluationError = `restricted by ${restriction}; ${consequence}`;
  return { ...rules, resourceRules, nonResourceRules, incomplete: true, evaluationError };
}
