import { ageColumn, column, displayedPhase } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { hostIsolationSchema } from '../host-isolation/host-isolation.ts';
import { accessSchema } from './access.ts';
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

/** The types of the conditions of a connected cluster. `Ready` summarizes the others. */
export const clusterConditionTypes = ['Reachable', 'CredentialsValid', 'Unique', 'RightsSufficient', 'Ready'] as const;

const agent = t.object(
  {
    keyFingerprint: t.optional(
      t.string({ description: 'Fingerprint of the public key of the agent. Absent if the agent uses an access key.' }),
    ),
    joinedAt: t.optional(t.timestamp({ description: 'Time at which the agent joined with a join token.' })),
    connected: t.optional(t.boolean({ description: 'True if the agent is connected to the server.' })),
    lastSeen: t.optional(
      t.timestamp({
        description: 'Time at which the agent was connected last. While it is connected, written every five minutes.',
      }),
    ),
    version: t.optional(t.string({ description: 'Version of the agent.' })),
    upgradeAvailable: t.optional(
      t.string({ description: 'Version of the server. Absent if the agent is not older than the server.' }),
    ),
    roundTripMilliseconds: t.optional(
      t.integer({
        description:
          'Round trip time between the server and the agent. Absent without a tunnel at the replica that writes the status.',
      }),
    ),
  },
  { description: 'Agent of the cluster. Absent if none has connected.' },
);

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
    agent: t.optional(agent),
    observedGeneration: observedGenerationSchema,
    conditions: t.optional(conditionsSchema),
  },
  { description: 'Observed state of the connected cluster.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

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
    column('Agent Key', 'status.agent.keyFingerprint', {
      description: 'Fingerprint of the key with which the agent joined.',
      wide: true,
    }),
    column('Agent Version', 'status.agent.version', { description: 'Version of the agent.', wide: true }),
    column('Agent Seen', 'status.agent.lastSeen', {
      type: 'date',
      description: 'Time since the agent was known to be connected.',
      wide: true,
    }),
    column('Joined', 'status.agent.joinedAt', {
      type: 'date',
      description: 'Time since the agent joined.',
      wide: true,
    }),
    column('Message', 'status.message', { description: 'Explanation of the phase.', wide: true }),
  ],
});

export type Cluster = ObjectOf<typeof clusterKind>;
