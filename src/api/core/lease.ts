import { type JsonValue, textAt } from '@flotilla/json';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';

/** The kind Lease, which leader election uses. The members of its schema are in the order of the Go structs. */
export const leaseKind: ResourceKind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  namespaced: true,
  builtIn: true,
  description: 'A lease names the current leader among several candidates. It expires unless the leader renews it.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            holderIdentity: t.optional(t.string({ description: 'The identity of the current holder of the lease.' })),
            leaseDurationSeconds: t.optional(
              t.integer({
                format: 'int32',
                description:
                  'The number of seconds that candidates wait after the last observed renewal before they acquire the lease.',
              }),
            ),
            acquireTime: t.optional(t.timestamp({ description: 'The time at which the holder acquired the lease.' })),
            renewTime: t.optional(t.timestamp({ description: 'The time at which the holder last renewed the lease.' })),
            leaseTransitions: t.optional(
              t.integer({ format: 'int32', description: 'The number of times that the lease changed its holder.' }),
            ),
            strategy: t.optional(
              t.string({
                description:
                  'The strategy of coordinated leader election. This server has no coordinator and does not set it.',
              }),
            ),
            preferredHolder: t.optional(
              t.string({
                description: 'The preferred holder in coordinated leader election. This server does not set it.',
              }),
            ),
          },
          { description: 'The holder of the lease and its duration.' },
        ),
      ),
    }),
  ),
  columns: [
    column('Holder', (lease) => textAt(lease as JsonValue, 'spec', 'holderIdentity'), {
      description: 'The identity of the current holder of the lease.',
    }),
    ageColumn,
  ],
};
