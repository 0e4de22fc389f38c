import { ageColumn, column, displayedPhase } from '../columns.ts';
import { defineKind } from '../define-kind.ts';
import { conditionsSchema } from '../management/v1/condition.ts';
import { cleanupFinalizer, managementCategory, storageGroup, storageVersion } from '../naming.ts';
import type { ObjectOf, ResourceKind } from '../resource.ts';
import { t } from '../schema/schema-builder.ts';

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Human-readable name.' })),
    asleep: t.optional(
      t.boolean({ description: 'If true, the virtual cluster sleeps: it serves no requests and keeps its data.' }),
    ),
  },
  { description: 'Desired state of the virtual cluster.' },
);

const phases = ['Ready', 'Sleeping', 'Failed'] as const;

const status = t.object(
  {
    phase: t.optional(
      t.enumOf(phases, { description: 'Current phase. Empty until the server has observed the virtual cluster.' }),
    ),
    reason: t.optional(t.string({ description: 'Machine-readable reason for the phase, in CamelCase.' })),
    message: t.optional(
      t.string({ description: 'Human-readable explanation of the phase, and how to resolve a problem.' }),
    ),
    kubernetesVersion: t.optional(t.string({ description: 'Kubernetes version that the virtual cluster reports.' })),
    observedGeneration: t.optional(
      t.integer({ description: 'The metadata.generation that the server last acted on.' }),
    ),
    conditions: t.optional(conditionsSchema),
  },
  { description: 'Observed state of the virtual cluster.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type VirtualClusterPhase = (typeof phases)[number];

/** The subresource that forwards requests to the API of the virtual cluster. */
export const proxySubresource = 'proxy';

/** A virtual cluster on the built-in cluster. Its UID identifies its control plane. */
export const virtualClusterKind = defineKind({
  group: storageGroup,
  version: storageVersion,
  kind: 'VirtualCluster',
  plural: 'virtualclusters',
  singular: 'virtualcluster',
  shortNames: ['vc'],
  categories: [managementCategory],
  namespaced: true,
  description: 'A virtual cluster on the built-in cluster: a separate Kubernetes API, served by the proxy subresource.',
  schema: schema,
  columns: [
    column('Status', displayedPhase, { description: 'Phase of the virtual cluster.' }),
    column('Version', 'status.kubernetesVersion', {
      description: 'Kubernetes version that the virtual cluster reports.',
    }),
    ageColumn,
    column('Message', 'status.message', { description: 'Explanation of the phase.', wide: true }),
  ],
});

export type VirtualCluster = ObjectOf<typeof virtualClusterKind>;

/**
 * The kind of the proxy subresource. Request and response bodies belong to the virtual cluster and have no kind here.
 */
export const virtualClusterProxyKind: ResourceKind = {
  group: storageGroup,
  version: storageVersion,
  kind: 'VirtualClusterProxyOptions',
  plural: 'virtualclusterproxyoptions',
  singular: 'virtualclusterproxyoptions',
  namespaced: true,
  description: 'Forwards requests with any method and subpath to the API of the virtual cluster.',
  schema: { type: 'object' },
};

/** The slice of the store that contains the virtual cluster. */
export function planeIdOf(virtualCluster: VirtualCluster): string {
  return `vc-${virtualCluster.metadata.uid ?? ''}`;
}

export function isVirtualClusterSleeping(virtualCluster: VirtualCluster): boolean {
  return virtualCluster.spec?.asleep === true;
}

/**
 * True if the virtual cluster is being deleted and only the server's finalizer remains. Its control plane is removed
 * then, and must never be created again: no finalizer can be added during deletion. While other finalizers remain, the
 * virtual cluster still serves requests, because their owners may have to clean up inside it.
 */
export function isReadyForRemoval({ metadata }: VirtualCluster): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && finalizers.every((finalizer) => finalizer === cleanupFinalizer);
}

export function observedGeneration(virtualCluster: VirtualCluster): number {
  return virtualCluster.status?.observedGeneration ?? 0;
}
