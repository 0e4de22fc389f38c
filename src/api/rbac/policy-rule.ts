import { type JsonValue, listAt } from '@flotilla/json';
import type { KubeObject } from '../meta.ts';
import { type Static, t } from '../schema/schema-builder.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';

const texts = (description: string) => t.array(t.string(), { listType: 'atomic', description });

const policyRule = t.object({
  verbs: texts('The allowed verbs. `*` allows all verbs.'),
  apiGroups: t.optional(
    texts('The API groups of the resources. The empty string is the core group, `*` matches all groups.'),
  ),
  resources: t.optional(
    texts('The resources: `configmaps`, `configmaps/status`, `*/scale`. `*` matches all resources.'),
  ),
  resourceNames: t.optional(texts('The names of the objects that the rule applies to. Empty for all names.')),
  nonResourceURLs: t.optional(
    texts(
      'Non-resource paths (`/healthz`), with a trailing `*` for a prefix. They require a cluster role and a cluster role binding. A rule has either paths or resources.',
    ),
  ),
});

/** One rule of a Role or ClusterRole: verbs on resources or paths. */
export type PolicyRule = Static<typeof policyRule>;

/** The schema of the rules of a Role or ClusterRole. */
export function policyRules(description: string) {
  return t.array(policyRule, { listType: 'atomic', description });
}

/** Returns the rules of a Role or ClusterRole that has been validated. */
export function rulesOf(role: KubeObject): readonly PolicyRule[] {
  return listAt(role as JsonValue, 'rules') as unknown as readonly PolicyRule[];
}
