import { type JsonValue, listAt, textAt, textsAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { rulesOf } from '../rules/kind-rules.ts';
import { rangeWarnings } from '../rules/range-rules.ts';
import { selectorText } from './selector-text.ts';

/** Warns about ranges that are not in canonical form. */
function warningsOf(object: KubeObject): string[] {
  const peers = (direction: string, member: string) =>
    listAt(object as JsonValue, 'spec', direction).flatMap((rule, index) =>
      listAt(rule, member).flatMap((peer, position) => {
        const path = `spec.${direction}[${index}].${member}[${position}].ipBlock`;
        const exceptions = textsAt(peer, 'ipBlock', 'except');
        return [
          ...rangeWarnings(`${path}.cidr`, textAt(peer, 'ipBlock', 'cidr')),
          ...exceptions.flatMap((text, at) => rangeWarnings(`${path}.except[${at}]`, text)),
        ];
      }),
    );
  return [...peers('ingress', 'from'), ...peers('egress', 'to')];
}

/** Network policies of networking.k8s.io/v1. No component enforces them on the built-in cluster. */
export const networkPolicy: KubernetesKind = {
  ...rulesOf('networking.NetworkPolicy'),
  group: 'networking.k8s.io',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  namespaced: true,
  description: 'The connections that selected pods may have.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  warnings: warningsOf,
  columns: [
    column('Pod-Selector', (object) => selectorText(valueAt(object as JsonValue, 'spec', 'podSelector')), {
      description: 'The labels of the pods to which the policy applies.',
    }),
    ageColumn,
  ],
};
