import { compareBytes, type JsonValue, objectAt, textAt } from '@flotilla/json';
import { quantityFormat } from '@flotilla/kubernetes-formats';
import { ageColumn, column } from '../columns.ts';
import type { KubeObject } from '../meta.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';

const amounts = (description: string) => t.map(t.string({ format: quantityFormat }), { description });

/** The kind ResourceQuota. The members of its schema are in the order of the Go structs. */
export const resourceQuotaKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  singular: 'resourcequota',
  shortNames: ['quota'],
  namespaced: true,
  builtIn: true,
  description: 'Limits on the resources of a namespace.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            hard: t.optional(
              amounts('The limits by resource. count/<plural>.<group> limits the number of objects of any kind.'),
            ),
            scopes: t.optional(
              t.array(t.string(), {
                listType: 'atomic',
                description: 'Only objects that match all of these scopes are counted.',
              }),
            ),
            scopeSelector: t.optional(
              t.object(
                {
                  matchExpressions: t.optional(
                    t.array(
                      t.object({
                        scopeName: t.string({ description: 'The scope.' }),
                        operator: t.string({ description: 'The operator: In, NotIn, Exists or DoesNotExist.' }),
                        values: t.optional(t.array(t.string(), { listType: 'atomic' })),
                      }),
                      {
                        listType: 'atomic',
                        description: 'The requirements of the selector. An object must match all of them.',
                      },
                    ),
                  ),
                },
                { atomic: true, description: 'Only objects that match the selector are counted.' },
              ),
            ),
          },
          { description: 'The desired limits.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            hard: t.optional(amounts('The enforced limits.')),
            used: t.optional(amounts('The current usage.')),
          },
          { description: 'The current usage.' },
        ),
      ),
    }),
  ),
  columns: [
    column('Request', (quota) => usage(quota, false), {
      description: 'The used and the allowed amount of each resource request.',
    }),
    column('Limit', (quota) => usage(quota, true), {
      description: 'The used and the allowed amount of each resource limit.',
    }),
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
