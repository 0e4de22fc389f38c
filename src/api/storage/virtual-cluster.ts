import { ageColumn, column, displayedPhase } from '../columns.ts';
import { defineKind } from '../define-kind.ts';
import { conditionsSchema } from '../management/v1/condition.ts';
import { cleanupFinalizer, managementCategory, quarantineAnnotation, storageGroup, storageVersion } from '../naming.ts';
import type { ObjectOf, ResourceKind } from '../resource.ts';
import { t } from '../schema/schema-builder.ts';
import { type StatusError, serviceUnavailable } from '../status.ts';
import { type ApiSet, apiSets } from './api-set.ts';

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Human-readable name.' })),
    asleep: t.optional(
      t.boolean({ description: 'If true, the virtual cluster sleeps: it serves no requests and keeps its data.' }),
    ),
    api: t.optional(
      t.enumOf(apiSets, {
        description:
          'Set of kinds that the virtual cluster serves. Immutable. If it is absent when the virtual cluster is created, the server setting planes.api decides.',
      }),
    ),
  },
  { description: 'Desired state of the virtual cluster.' },
);

const phases = ['Ready', 'Sleeping', 'Failed'] as const;

const status = t.object(
  {
    phase: t.optional(
      t.enumOf(phases, { description: 'Phase of the virtual cluster. Absent until the server has first observed it.' }),
    ),
    reason: t.optional(t.string({ description: 'Machine-readable reason for the phase, in CamelCase.' })),
    message: t.optional(
      t.string({ description: 'Human-readable explanation of the phase. For a problem, it says how to resolve it.' }),
    ),
    kubernetesVersion: t.optional(t.string({ description: 'Kubernetes version that the virtual cluster reports.' })),
    observedGeneration: t.optional(
      t.integer({ description: 'The metadata.generation that the status was computed from.' }),
    ),
    conditions: t.optional(conditionsSchema),
  },
  { description: 'Observed state of the virtual cluster.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type VirtualClusterPhase = (typeof phases)[number];

/** Name of the subresource that forwards requests to the API of the virtual cluster. */
export const proxySubresource = 'proxy';

/** The kind of virtual clusters on the built-in cluster. The UID of the object identifies its control plane. */
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
 * The kind that discovery reports for the proxy subresource. The forwarded request and response bodies belong to the
 * virtual cluster and can have any kind.
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

/** Returns the ID of the virtual cluster's control plane, which is also the name of its slice of the store. */
export function planeIdOf(virtualCluster: VirtualCluster): string {
  return `vc-${virtualCluster.metadata.uid ?? ''}`;
}

/**
 * Returns the set of kinds that the virtual cluster serves. Virtual clusters of older releases have the minimal set.
 */
export function apiSetOf(virtualCluster: VirtualCluster): ApiSet {
  return virtualCluster.spec?.api ?? 'minimal';
}

export function isVirtualClusterSleeping(virtualCluster: VirtualCluster): boolean {
  return virtualCluster.spec?.asleep === true;
}

/**
 * Returns the error for requests to a quarantined virtual cluster; `undefined` if the virtual cluster is not
 * quarantined.
 */
export function quarantineError({ metadata }: VirtualCluster): StatusError | undefined {
  const reason = metadata.annotations?.[quarantineAnnotation];
  if (reason === undefined) return undefined;
  const name = JSON.stringify(metadata.name ?? '');
  return serviceUnavailable(
    `the virtual cluster ${name} is quarantined: ${reason}; an administrator can lift the quarantine with flotilla lift-quarantine, or by removing the annotation ${quarantineAnnotation} of the VirtualCluster object`,
  );
}

/**
 * True if the virtual cluster is being deleted and has no finalizer except the server's own. Its control plane is then
 * removed and must never be created again. The result never changes back to false, because no finalizer can be added
 * during deletion. As long as the result is false, the virtual cluster serves requests, because the owners of
 * finalizers may have to clean up inside it.
 */
export function isReadyForRemoval({ metadata }: VirtualCluster): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && finalizers.every((finalizer) => finalizer === cleanupFinalizer);
}

export function observedGeneration(virtualCluster: VirtualCluster): number {
  return virtualCluster.status?.observedGeneration ?? 0;
}
