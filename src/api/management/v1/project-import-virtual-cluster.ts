import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { type Static, t } from '../../schema/build.ts';
import { ownerSchema } from './owner.ts';

const schema = t.object({
  sourceVirtualCluster: t.object(
    {
      name: t.string({ description: 'Name of the virtual cluster to import.' }),
      namespace: t.string({ description: 'Namespace of the virtual cluster to import.' }),
      cluster: t.string({ description: 'Connected cluster on which the virtual cluster runs.' }),
      importName: t.optional(
        t.string({ description: 'Name of the instance that is made; absent: the name of the virtual cluster.' }),
      ),
      owner: t.optional(ownerSchema),
    },
    { description: 'The virtual cluster to import into the project.' },
  ),
  skipHelmDeploy: t.optional(
    t.boolean({
      description: 'The virtual cluster stays managed where it is now: it is never installed or removed from here.',
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
  description: 'A request that imports a virtual cluster of a connected cluster into a project.',
  schema,
});
