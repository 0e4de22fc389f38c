import { flagAt } from '../../../lib/json-path.ts';
import { ageColumn, column, phaseOf } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/build.ts';
import { accessSchema } from './access.ts';
import { conditionsSchema } from './condition.ts';
import { ownerSchema } from './owner.ts';

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Name to show to people.' })),
    description: t.optional(t.string({ description: 'What the cluster is for.' })),
    owner: t.optional(ownerSchema),
    local: t.optional(t.boolean({ description: 'The built-in cluster of this server.' })),
    kubeconfig: t.optional(
      t.string({
        description:
          'Kubeconfig, with all credentials inline, that reaches the cluster. Write-only: it is never returned.',
      }),
    ),
    networkPeer: t.optional(t.boolean({ description: 'The cluster is reached through its agent.' })),
    unusable: t.optional(t.boolean({ description: 'No new virtual clusters are placed here.' })),
    directEndpoint: t.optional(
      t.object(
        {
          host: t.optional(t.string({ description: 'Address of the direct endpoint.' })),
          caData: t.optional(t.string({ description: 'Certificates that the endpoint is checked with, as PEM text.' })),
        },
        { description: 'Where clients reach the cluster without this server.' },
      ),
    ),
    access: t.optional(accessSchema),
  },
  { description: 'The connected cluster as it should be.' },
);

const status = t.object(
  {
    phase: t.optional(t.string({ description: 'Initialized or Failed; empty until the server has looked.' })),
    reason: t.optional(t.string({ description: 'Why it is in this phase, in one word.' })),
    message: t.optional(t.string({ description: 'Why it is in this phase, and what to do about it.' })),
    online: t.optional(t.boolean({ description: 'Whether the cluster can be reached.' })),
    kubernetesVersion: t.optional(t.string({ description: 'Version that the cluster reports.' })),
    clusterUID: t.optional(
      t.string({ description: 'The uid of its namespace kube-system, which tells the cluster from every other.' }),
    ),
    conditions: t.optional(conditionsSchema),
  },
  { description: 'What the server observed.' },
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
  description: 'A connected cluster, which virtual clusters run on.',
  schema,
  columns: [
    column('Status', phaseOf, { description: 'Phase of the cluster.' }),
    column('Online', 'status.online', { type: 'boolean', description: 'Whether it can be reached.' }),
    column(
      'Reached By',
      (object) =>
        flagAt(object, 'spec', 'local') ? 'built-in' : flagAt(object, 'spec', 'networkPeer') ? 'agent' : 'kubeconfig',
      { description: 'How the server reaches it.' },
    ),
    column('Version', 'status.kubernetesVersion', { description: 'Kubernetes version that it reports.' }),
    ageColumn,
    column('Message', 'status.message', { description: 'Why it is in its phase.', wide: true }),
  ],
});

export type Cluster = ObjectOf<typeof clusterKind>;
