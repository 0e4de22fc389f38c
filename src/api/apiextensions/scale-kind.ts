import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';

const schema = asSchema(
  t.object({
    spec: t.optional(
      t.object(
        { replicas: t.optional(t.integer({ format: 'int32', description: 'How many there are to be.' })) },
        { description: 'What is wanted.' },
      ),
    ),
    status: t.optional(
      t.object(
        {
          replicas: t.optional(t.integer({ format: 'int32', description: 'How many there are.' })),
          selector: t.optional(t.string({ description: 'A label selector for what is counted.' })),
        },
        { description: 'What there is.' },
      ),
    ),
  }),
);

/** The kind of the `scale` subresource of custom resources. */
export function scaleKind(namespaced: boolean): ResourceKind {
  return {
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    plural: 'scales',
    singular: 'scale',
    namespaced,
    builtIn: true,
    description: 'How many of something there are to be, and are.',
    schema,
  };
}
