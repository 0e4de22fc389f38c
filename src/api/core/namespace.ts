import { ageColumn, column, phaseOf } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';

export const namespaceKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  namespaced: false,
  builtIn: true,
  description: 'A namespace keeps the names of the objects in it apart from those of other namespaces.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            finalizers: t.optional(
              t.array(t.string(), {
                listType: 'atomic',
                description: 'What has to be done before the namespace is removed for good.',
              }),
            ),
          },
          { description: 'What the namespace should be.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            phase: t.optional(t.string({ description: 'Active, or Terminating once it is being deleted.' })),
            conditions: t.optional(
              t.array(
                t.object({
                  type: t.string({ description: 'What the condition is about.' }),
                  status: t.string({ description: 'True, False or Unknown.' }),
                  lastTransitionTime: t.optional(t.timestamp({ description: 'When the status last changed.' })),
                  reason: t.optional(t.string({ description: 'A word for programs.' })),
                  message: t.optional(t.string({ description: 'A sentence for people.' })),
                }),
                { mapKeys: ['type'], patchMergeKey: 'type', description: 'How its deletion is getting on.' },
              ),
            ),
          },
          { description: 'What the namespace is now.' },
        ),
      ),
    }),
  ),
  columns: [column('Status', phaseOf, { description: 'The status of the namespace.' }), ageColumn],
};
