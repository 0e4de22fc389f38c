import { compareBytes } from '../../lib/json-order.ts';
import { objectAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { ageColumn, column } from '../columns.ts';
import type { KubeObject } from '../meta.ts';
import { quantityFormat } from '../quantity.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';

const amounts = (description: string) => t.map(t.string({ format: quantityFormat }), { description });

/** Members are in the order of the Go structs. */
export const resourceQuotaKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  singular: 'resourcequota',
  shortNames: ['quota'],
  namespaced: true,
  builtIn: true,
  description: 'How much of what a namespace may hold.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            hard: t.optional(
              amounts('The most of each: count/<plural>.<group> counts objects of any kind that the cluster has.'),
            ),
            scopes: t.optional(
              t.array(t.string(), { listType: 'atomic', description: 'Only what all of these fit is counted.' }),
            ),
            scopeSelector: t.optional(
              t.object(
                {
                  matchExpressions: t.optional(
                    t.array(
                      t.object({
                        scopeName: t.string({ description: 'The scope.' }),
                        operator: t.string({ description: 'In, NotIn, Exists or DoesNotExist.' }),
                        values: t.optional(t.array(t.string(), { listType: 'atomic' })),
                      }),
                      { listType: 'atomic', description: 'All of them must fit.' },
                    ),
                  ),
                },
                { atomic: true, description: 'Only what this fits is counted.' },
              ),
            ),
          },
          { description: 'What may be held.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            hard: t.optional(amounts('The most of each, as it is enforced.')),
            used: t.optional(amounts('How much of each there is.')),
          },
          { description: 'What is held.' },
        ),
      ),
    }),
  ),
  columns: [
    column('Request', (quota) => usage(quota, false), { description: 'What is used, of how much.' }),
    column('Limit', (quota) => usage(quota, true), { description: 'The same, for what is limited.' }),
    ageColumn,
  ],
};

function usage(quota: KubeObject, ofLimits: boolean): string {
  const hard = objectAt(quota as JsonValue, 'status', 'hard') ?? {};
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === ofLimits)
    .sort(compareBytes)
    .map((name) => `${name}: ${textAt(quota as JsonValue, 'status', 'used', name) || '0'}/${textAt(hard, name)}`)
    .join(', ');
}
