import { queryOptions } from '@tanstack/react-query';
import type { ApiRoot } from './api-root.ts';
import type { KindRef } from './kind-ref.ts';
import { sendJson } from './send.ts';

/** What somebody may do in a namespace, as an API server tells it in one answer. */
export interface OwnRules {
  /** The server does not know all of it: what is not told may be allowed all the same. */
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
 * No namespace can have this name, so nobody has rights in it but those that reach across all namespaces: they are what
 * is told for it.
 */
const everywhere = '-';

/** `namespace` absent: what one may do across all of them, and with what is in none. */
export function ownRulesQuery(root: ApiRoot, namespace: string | undefined) {
  return queryOptions({
    queryKey: ['rules', root, namespace ?? ''],
    staleTime: 30_000,
    // What fell asleep meanwhile is not woken by trying again.
    retry: false,
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

/** Whether there is something of this kind that the verb may be done to. Rules for single names count for none. */
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
