import { createdAtColumn } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';
import { labelSelectorSchema } from '../selectors/selector-object.ts';
import { policyRules, rbacGroup } from './policy-rule.ts';

export const clusterRoleKind: ResourceKind = {
  group: rbacGroup,
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  namespaced: false,
  builtIn: true,
  description:
    'A cluster role is a set of permissions that cluster role bindings grant everywhere and role bindings grant in their namespace.',
  schema: asSchema(
    t.object({
      rules: t.optional(policyRules('The permissions of the role.')),
      aggregationRule: t.optional(
        t.object(
          {
            clusterRoleSelectors: t.optional(
              t.array(labelSelectorSchema('Selects cluster roles by their labels.'), {
                listType: 'atomic',
                description: 'The role gets the rules of all cluster roles that match at least one of these selectors.',
              }),
            ),
          },
          {
            description:
              'Aggregates the rules of other cluster roles. Changes to the rules of this role are overwritten.',
          },
        ),
      ),
    }),
  ),
  columns: [createdAtColumn],
};
