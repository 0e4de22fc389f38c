import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';
import { ownerSchema } from '../owner.ts';

const schema = t.object({
  sourceVirtualCluster: t.object(
    {
      name: t.string({ description: 'Name of the virtual cluster to import.' }),
      namespace: t.string({ description: 'Namespace of the virtual cluster to import.' }),
      cluster: t.string({ description: 'Connected cluster that the virtual cluster runs on.' }),
      importName: t.optional(
        t.string({
          description: 'Name of the VirtualClusterInstance to create. Defaults to the name of the virtual cluster.',
        }),
      ),
      owner: t.optional(ownerSchema),
    },
    { description: 'Virtual cluster to import into the project.' },
  ),
  skipHelmDeploy: t.optional(
    t.boolean({
      description:
        'If true, the virtual cluster remains externally managed: this server never installs, upgrades or removes it.',
    }),
  ),
});

export type ProjectImportVirtualCluster = Static<typeof schema>;

export const projectImportVirtualClusterKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ProjectImportVirtualCluster',
  plural: 'projectimportvirtualclusters',
  singular: 'projectimportvirtualcluster',
  namespaced: false,
  description: 'A request to import an existing virtual cluster of a connected cluster into a project.',
  schema,
});
