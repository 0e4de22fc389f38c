import { ageColumn, column, displayedPhase } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';

export const namespaceKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  namespaced: false,
  builtIn: true,
  description: 'A namespace provides a scope for the names of objects.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            finalizers: t.optional(
              t.array(t.string(), {
                listType: 'atomic',
                description: 'The finalizers that must be removed before the namespace is deleted.',
              }),
            ),
          },
          { description: 'The desired state of the namespace.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            phase: t.optional(
              t.string({
                description: 'The phase of the namespace: Active, or Terminating while it is being deleted.',
              }),
            ),
            conditions: t.optional(
              t.array(
                t.object({
                  type: t.string({ description: 'The type of the condition.' }),
                  status: t.string({ description: 'True, False or Unknown.' }),
                  lastTransitionTime: t.optional(
                    t.timestamp({ description: 'The time at which the status of the condition last changed.' }),
                  ),
                  reason: t.optional(t.string({ description: 'The machine-readable reason for the status.' })),
                  message: t.optional(t.string({ description: 'A human-readable message.' })),
                }),
                {
                  mapKeys: ['type'],
                  patchMergeKey: 'type',
                  description: 'The conditions of the namespace, which report the progress of its deletion.',
                },
              ),
            ),
          },
          { description: 'The current state of the namespace.' },
        ),
      ),
    }),
  ),
  columns: [column('Status', displayedPhase, { description: 'The status of the namespace.' }), ageColumn],
};
