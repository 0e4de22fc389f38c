import { flagAt, numberAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { ageColumn, column, phaseOf } from '../columns.ts';
import { conditionsSchema } from '../management/v1/condition.ts';
import type { KubeObject } from '../meta.ts';
import { cleanupFinalizer, managementCategory, storageGroup, storageVersion } from '../naming.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Name to show to people.' })),
    asleep: t.optional(
      t.boolean({ description: 'Nobody gets in while this is true; everything in the virtual cluster is kept.' }),
    ),
  },
  { description: 'The virtual cluster as it should be.' },
);

const phases = ['Ready', 'Sleeping', 'Failed'] as const;

const status = t.object(
  {
    phase: t.optional(t.enumOf(phases, { description: 'What it is now; empty until the server has looked.' })),
    reason: t.optional(t.string({ description: 'Why it is in this phase, in one word.' })),
    message: t.optional(t.string({ description: 'Why it is in this phase, and what to do about it.' })),
    kubernetesVersion: t.optional(t.string({ description: 'Version that its API reports.' })),
    observedGeneration: t.optional(t.integer({ description: 'Generation that the server has acted on.' })),
    conditions: t.optional(conditionsSchema),
  },
  { description: 'What the server observed.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type VirtualClusterPhase = (typeof phases)[number];

/** The subresource that leads to the API of the virtual cluster. */
export const proxySubresource = 'proxy';

/** A virtual cluster on the built-in cluster; its uid names the control plane that it is. */
export const virtualClusterKind: ResourceKind = {
  group: storageGroup,
  version: storageVersion,
  kind: 'VirtualCluster',
  plural: 'virtualclusters',
  singular: 'virtualcluster',
  shortNames: ['vc'],
  categories: [managementCategory],
  namespaced: true,
  description: 'A virtual cluster that runs here: a Kubernetes API of its own, reached through its subresource proxy.',
  schema: asSchema(schema),
  columns: [
    column('Status', phaseOf, { description: 'Phase of the virtual cluster.' }),
    column('Version', 'status.kubernetesVersion', { description: 'Kubernetes version that it reports.' }),
    ageColumn,
    column('Message', 'status.message', { description: 'Why it is in its phase.', wide: true }),
  ],
};

/** What is sent to and answered by the subresource is the virtual cluster's own; it has no kind here. */
export const virtualClusterProxyKind: ResourceKind = {
  group: storageGroup,
  version: storageVersion,
  kind: 'VirtualClusterProxyOptions',
  plural: 'virtualclusterproxyoptions',
  singular: 'virtualclusterproxyoptions',
  namespaced: true,
  description: 'What is asked and answered there is the virtual cluster’s own API: every method, at every path below.',
  schema: { type: 'object' },
};

/** The slice of the store that is the virtual cluster's own. */
export function planeIdOf(virtualCluster: KubeObject): string {
  return `vc-${virtualCluster.metadata.uid ?? ''}`;
}

export function isAsleep(virtualCluster: KubeObject): boolean {
  return flagAt(virtualCluster as JsonValue, 'spec', 'asleep');
}

/**
 * It is deleted and nobody but the server holds it any more: its control plane goes, and nothing may come of it again, as
 * nobody can hold what is being deleted anew. Before that one that is being deleted still answers: whoever holds it with
 * a finalizer may have something to do in there.
 */
export function isBeingRemoved({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && finalizers.every((finalizer) => finalizer === cleanupFinalizer);
}

export function observedGeneration(virtualCluster: KubeObject): number {
  return numberAt(virtualCluster as JsonValue, 'status', 'observedGeneration') ?? 0;
}
