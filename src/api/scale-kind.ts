import type { ResourceKind } from './resource.ts';
import { asSchema, t } from './schema/schema-builder.ts';

const schema = asSchema(
  t.object({
    spec: t.optional(
      t.object(
        { replicas: t.optional(t.integer({ format: 'int32', description: 'The desired number of replicas.' })) },
        { description: 'The desired state.' },
      ),
    ),
    status: t.optional(
      t.object(
        {
          replicas: t.optional(t.integer({ format: 'int32', description: 'The observed number of replicas.' })),
          selector: t.optional(
            t.string({ description: 'The label selector of the objects that are counted as replicas.' }),
          ),
        },
        { description: 'The observed state.' },
      ),
    ),
  }),
);

/** The kind of the `scale` subresource, with a desired and an observed number of replicas. */
export function scaleKind(namespaced: boolean): ResourceKind {
  return {
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    plural: 'scales',
    singular: 'scale',
    namespaced,
    builtIn: true,
    description: 'The desired and the observed number of replicas.',
    schema,
  };
}
