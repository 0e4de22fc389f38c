import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { projectImportVirtualClusterKind } from '../../api/management/v1/subresources/project-import-virtual-cluster.ts';
import { type FieldsOf, groupResourceOf } from '../../api/resource.ts';
import { conflict } from '../../api/status.ts';
import { virtualClusterKind } from '../../api/storage/virtual-cluster.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { virtualClusterRules } from '../instances/instance-rules.ts';
import type { ManagementState } from '../state.ts';
import { type ImportOptions, type ImportRules, type ImportSource, importInstance } from './import-instance.ts';
import { isInstanceIn } from './namespace-holders.ts';

const rules: ImportRules<FieldsOf<typeof projectImportVirtualClusterKind>> = {
  kind: projectImportVirtualClusterKind,
  sourceField: 'sourceVirtualCluster',
  sourceIn: ({ sourceVirtualCluster }) => sourceVirtualCluster,
  requiredMembers: ['name', 'namespace', 'cluster'],
  instances: virtualClusterRules,
  sourceResource: groupResourceOf(virtualClusterKind),
  driverOf: (host) => host,
  locationOf: ({ namespace, name }) => ({ namespace, name }),
  specOf: ({ cluster, namespace, name }, body) => ({
    clusterRef: { cluster, namespace, virtualCluster: name },
    ...(body?.skipHelmDeploy === true ? { external: true } : {}),
  }),
  checkSource,
};

/**
 * Throws 409 for a virtual cluster in a space. Users of the space can write the Helm release and the credentials of the
 * virtual cluster. The server would use this release and these credentials with its own permissions on the host.
 */
function checkSource({ name, namespace, cluster }: ImportSource, _found: unknown, state: ManagementState): void {
  if (!isInstanceIn([spaceInstanceKind], { cluster, namespace }, state)) return;
  throw conflict(rules.sourceResource, name, `the namespace ${namespace} on the cluster ${cluster} belongs to a space`);
}

/** POST `projects/<name>/importvirtualcluster`. Nothing changes on the host. */
export function importVirtualCluster(options: ImportOptions): MountedSubresource {
  return importInstance(rules, options);
}
