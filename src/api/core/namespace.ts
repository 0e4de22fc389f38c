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
            phase: t.optional(t.string({ description: 'Active, or Terminating during deletion.' })),
            conditions: t.optional(
              t.array(
                t.object({
                  type: t.string({ description: 'The type of the condition.' }),
                  status: t.string({ description: 'True, False or Unknown.' }),
                  lastTransitionTime: t.optional(
                    t.timestamp({ description: 'The time of the last change of the status.' }),
                  ),
                  reason: t.optional(t.string({ description: 'The machine-readable reason.' })),
                  message: t.optional(t.string({ description: 'A human-readable message.' })),
                }),
                { mapKeys: ['type'], patchMergeKey: 'type', description: 'The progress of the deletion.' },
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
