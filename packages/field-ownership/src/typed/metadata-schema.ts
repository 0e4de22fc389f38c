const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const texts = { type: 'object', additionalProperties: text } as const;

/**
 * The schema of `metadata`, which is the same for every kind. Finalizers are a set, and owner references are identified
 * by uid. Used for server-side apply (rule SSA-23) and for strategic merge patches.
 */
export const metadataSchema = {
  type: 'object',
  properties: {
    annotations: texts,
    creationTimestamp: time,
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
    deletionTimestamp: time,
    finalizers: {
      type: 'array',
      items: text,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    generateName: text,
    generation: { type: 'integer', format: 'int64' },
    labels: texts,
    managedFields: { type: 'array', items: { type: 'object' } },
    name: text,
    namespace: text,
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: {
          apiVersion: text,
          blockOwnerDeletion: { type: 'boolean' },
          controller: { type: 'boolean' },
          kind: text,
          name: text,
          uid: text,
        },
      },
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
} as const;
