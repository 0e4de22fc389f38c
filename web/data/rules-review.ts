import { queryOptions } from '@tanstack/react-query';
import type { ApiRoot } from './api-root.ts';
import type { KindRef } from './kind-ref.ts';
import { sendJson } from './send.ts';

/** The caller's permissions in a namespace, from a SelfSubjectRulesReview. */
export interface OwnRules {
  /** True if the server could not list all rules. An action without a rule may then still be permitted. */
  readonly incomplete: boolean;
  readonly rules: readonly OwnRule[];
}

export interface OwnRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

type WireRule = { [Member in keyof OwnRule]?: string[] | null };
type Review = { status: { incomplete?: boolean; resourceRules?: WireRule[] | null } };

/**
 * A text that is not a valid namespace name, so no role binding can exist in it. For this namespace, the server reports
 * only the rules that apply to all namespaces.
 */
const everywhere = '-';

/**
 * A query for the caller's permissions in a namespace. Without `namespace`, the query asks for the permissions in all
 * namespaces and on cluster-scoped objects.
 */
export function ownRulesQuery(root: ApiRoot, namespace: string | undefined) {
  return queryOptions({
    queryKey: ['rules', root, namespace ?? ''],
    staleTime: 30_000,
    refetchOnReconnect: false,
    queryFn: async ({ signal }): Promise<OwnRules> => {
      const { status } = await sendJson<Review>({
        method: 'POST',
        url: `${root}/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`,
        document: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectRulesReview',
          spec: { namespace: namespace ?? everywhere },
        },
        signal,
      });
      return {
        incomplete: status.incomplete === true,
        rules: (status.resourceRules ?? []).map(({ verbs, apiGroups, resources, resourceNames }) => ({
          verbs: verbs ?? [],
          apiGroups: apiGroups ?? [],
          resources: resources ?? [],
          resourceNames: resourceNames ?? [],
        })),
      };
    },
  });
}

/** True if the verb is permitted on all objects of the kind. Rules that apply only to certain names do not count. */
export function rulesAllow({ incomplete, rules }: OwnRules, verb: string, { group, plural }: KindRef): boolean {
  const has = (list: readonly string[], wanted: string) => list.includes('*') || list.includes(wanted);
  return (
    incomplete ||
    rules.some(
      (rule) =>
        rule.resourceNames.length === 0 &&
        has(rule.verbs, verb) &&
        has(rule.apiGroups, group) &&
        has(rule.resources, plural),
    )
  );
}
