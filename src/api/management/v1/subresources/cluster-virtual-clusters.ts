import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

const schema = t.object({
  virtualClusters: t.array(
    t.object({
      name: t.string({ description: 'Name of the virtual cluster.' }),
      namespace: t.string({ description: 'Namespace on the cluster that the virtual cluster runs in.' }),
      version: t.optional(t.string({ description: 'Kubernetes version of the virtual cluster.' })),
      status: t.optional(t.string({ description: 'Current state of the virtual cluster.' })),
      project: t.optional(
        t.string({ description: 'Project of the virtual cluster. Absent if it belongs to no project.' }),
      ),
      instance: t.optional(
        t.string({
          description:
            'Name of the VirtualClusterInstance that describes the virtual cluster. Absent if there is none.',
        }),
      ),
    }),
    { description: 'Virtual clusters that run on the cluster.' },
  ),
});

export type ClusterVirtualClusters = Static<typeof schema>;

export const clusterVirtualClustersKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ClusterVirtualClusters',
  plural: 'clustervirtualclusters',
  singular: 'clustervirtualclusters',
  namespaced: false,
  description: 'The virtual clusters that run on a connected cluster, including those that belong to no project.',
  schema,
});
