import { ageColumn, column, displayedPhase } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { hostIsolationSchema } from '../host-isolation/host-isolation.ts';
import { accessSchema } from './access.ts';
import { type ClusterAgent, clusterAgentsSchema } from './cluster-agent.ts';
import { conditionsSchema, observedGenerationSchema } from './condition.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';
import { ownerSchema } from './owner.ts';

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    description: t.optional(descriptionSchema('Purpose of the cluster.')),
    owner: t.optional(ownerSchema),
    local: t.optional(t.boolean({ description: 'True for the built-in cluster of this server.' })),
    kubeconfig: t.optional(
      t.string({
        description:
          'Kubeconfig with which the server reaches the cluster, with inline credentials. Write-only: never returned.',
      }),
    ),
    networkPeer: t.optional(t.boolean({ description: 'If true, the server reaches the cluster through its agent.' })),
    unusable: t.optional(t.boolean({ description: 'If true, no new virtual clusters are placed on the cluster.' })),
    hostIsolation: t.optional(hostIsolationSchema('the namespaces on the cluster')),
    directEndpoint: t.optional(
      t.object(
        {
          host: t.optional(t.string({ description: 'Address of the direct endpoint.' })),
          caData: t.optional(t.string({ description: 'PEM-encoded CA certificates that verify the direct endpoint.' })),
        },
        { description: 'Direct endpoint, at which clients reach the cluster without going through this server.' },
      ),
    ),
    access: t.optional(accessSchema),
  },
  { description: 'Desired state of the connected cluster.' },
);

/** The condition types of a connected cluster. `Ready` summarizes the other conditions. */
export const clusterConditionTypes = ['Reachable', 'CredentialsValid', 'Unique', 'RightsSufficient', 'Ready'] as const;

const status = t.object(
  {
    phase: t.optional(
      t.string({
        description:
          'Phase of the cluster: Initialized or Failed. Pending until the server has probed the cluster for the first time.',
      }),
    ),
    reason: t.optional(t.string({ description: 'Machine-readable reason for the phase, in CamelCase.' })),
    message: t.optional(
      t.string({ description: 'Human-readable explanation of the phase. For a problem, it says how to resolve it.' }),
    ),
    online: t.optional(t.boolean({ description: 'True if the server can reach the cluster.' })),
    kubernetesVersion: t.optional(t.string({ description: 'Kubernetes version that the cluster reports.' })),
    clusterUID: t.optional(
      t.string({ description: 'UID of the kube-system namespace, which identifies the cluster.' }),
    ),
    agents: t.optional(clusterAgentsSchema),
    observedGeneration: observedGenerationSchema,
    conditions: t.optional(conditionsSchema),
  },
  { description: 'Observed state of the connected cluster.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

/** Returns how many agents are connected, for example `1/2`. `undefined` without an agent. */
function agentsText(agents: readonly ClusterAgent[]): string | undefined {
  if (agents.length === 0) return undefined;
  return `${agents.filter(({ connected }) => connected === true).length}/${agents.length}`;
}

function joinDistinct(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : [...new Set(texts)].join(', ');
}

export type ClusterSpec = Static<typeof spec>;

export const clusterKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'Cluster',
  plural: 'clusters',
  singular: 'cluster',
  categories: [managementCategory],
  namespaced: false,
  confidential: true,
  description: 'A connected cluster, on which virtual clusters run.',
  schema,
  columns: [
    column('Status', displayedPhase, { description: 'Phase of the cluster.', path: 'status.phase' }),
    column('Online', 'status.online', { type: 'boolean', description: 'True if the server can reach the cluster.' }),
    column<Static<typeof schema>>(
      'Reached By',
      (object) =>
        object.spec?.local === true ? 'built-in' : object.spec?.networkPeer === true ? 'agent' : 'kubeconfig',
      { description: 'How the server reaches the cluster: built-in, agent or kubeconfig.' },
    ),
    column('Version', 'status.kubernetesVersion', { description: 'Kubernetes version that the cluster reports.' }),
    ageColumn,
    column<Static<typeof schema>>('Agents', ({ status: { agents = [] } = {} }) => agentsText(agents), {
      description: 'Number of connected agents and number of all agents.',
      wide: true,
    }),
    column<Static<typeof schema>>(
      'Agent Version',
      ({ status: { agents = [] } = {} }) => joinDistinct(agents.flatMap(({ version }) => version ?? [])),
      { description: 'Versions of the agents.', wide: true },
    ),
    column('Message', 'status.message', { description: 'Explanation of the phase.', wide: true }),
  ],
});

export type Cluster = ObjectOf<typeof clusterKind>;
