import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';
import { selectorObject } from '../selectors/selector-object.ts';
import { policyRules, rbacGroup } from './policy-rule.ts';
import { createdAtColumn } from './role.ts';

export const clusterRoleKind: ResourceKind = {
  group: rbacGroup,
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  namespaced: false,
  builtIn: true,
  description:
    'A cluster role is a set of rights that cluster role bindings give everywhere and role bindings in their namespace.',
  schema: asSchema(
    t.object({
      rules: t.optional(policyRules('What the role allows.')),
      aggregationRule: t.optional(
        t.object(
          {
            clusterRoleSelectors: t.optional(
              t.array(selectorObject('Which cluster roles are meant, by their labels.'), {
                listType: 'atomic',
                description: 'A cluster role that fits any of these gives its rules.',
              }),
            ),
          },
          {
            description:
              'Where the rules come from. With it they follow those of other cluster roles, and what somebody writes there does not last.',
          },
        ),
      ),
    }),
  ),
  columns: [createdAtColumn],
};
