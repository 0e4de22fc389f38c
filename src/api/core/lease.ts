import { textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';

/** The basis of leader election. Members are in the order of the Go structs. */
export const leaseKind: ResourceKind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  namespaced: true,
  builtIn: true,
  description: 'A lease says who of several does the work at present, and until when that holds unless it is renewed.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            holderIdentity: t.optional(t.string({ description: 'Who holds the lease.' })),
            leaseDurationSeconds: t.optional(
              t.integer({
                format: 'int32',
                description: 'How long others wait after the last renewal that they saw before they take the lease.',
              }),
            ),
            acquireTime: t.optional(t.timestamp({ description: 'When the holder got the lease.' })),
            renewTime: t.optional(t.timestamp({ description: 'When the holder last renewed it.' })),
            leaseTransitions: t.optional(
              t.integer({ format: 'int32', description: 'How often the lease has gone from one holder to another.' }),
            ),
            strategy: t.optional(
              t.string({
                description: 'How a coordinator picks the holder. This server has none and leaves it unset.',
              }),
            ),
            preferredHolder: t.optional(
              t.string({ description: 'To whom a coordinator wants the lease to go. Left unset like the strategy.' }),
            ),
          },
          { description: 'Who holds the lease, since when and for how long.' },
        ),
      ),
    }),
  ),
  columns: [
    column('Holder', (lease) => textAt(lease as JsonValue, 'spec', 'holderIdentity'), {
      description: 'Who holds the lease.',
    }),
    ageColumn,
  ],
};
