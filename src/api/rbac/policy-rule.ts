import { listAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import type { KubeObject } from '../meta.ts';
import { type Static, t } from '../schema/build.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';

const texts = (description: string) => t.array(t.string(), { listType: 'atomic', description });

const policyRule = t.object({
  verbs: texts('What may be done. `*` stands for everything.'),
  apiGroups: t.optional(
    texts('The API groups of the resources. The empty text is the core group, `*` stands for all of them.'),
  ),
  resources: t.optional(
    texts('What it may be done to: `configmaps`, `configmaps/status`, `*/scale`. `*` stands for everything.'),
  ),
  resourceNames: t.optional(texts('The names that the rule is for. None: it is for all names.')),
  nonResourceURLs: t.optional(
    texts(
      'Paths that are no resources (`/healthz`), with a `*` at the end for what begins like that. They need a cluster role that a cluster role binding gives; a rule has either paths or resources.',
    ),
  ),
});

/** One rule of a role. */
export type PolicyRule = Static<typeof policyRule>;

/** The rules of both kinds of role. */
export function policyRules(description: string) {
  return t.array(policyRule, { listType: 'atomic', description });
}

/** The rules of a validated role. Empty if it has none. */
export function rulesOf(role: KubeObject): readonly PolicyRule[] {
  return listAt(role as JsonValue, 'rules') as unknown as readonly PolicyRule[];
}
