import { namespaceKind } from '../../api/core/namespace.ts';
import { projectImportSpaceKind } from '../../api/management/v1/subresources/project-import-space.ts';
import { type FieldsOf, groupResourceOf } from '../../api/resource.ts';
import { conflict, forbidden } from '../../api/status.ts';
import type { HostedVirtualCluster } from '../../hosts/host.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { spaceRules } from '../instances/instance-rules.ts';
import { instanceKinds, type ManagementState } from '../state.ts';
import { type ImportOptions, type ImportRules, type ImportSource, importInstance } from './import-instance.ts';
import { isInstanceIn, isOwnerPresent } from './namespace-holders.ts';

const namespaces = groupResourceOf(namespaceKind);

const rules: ImportRules<FieldsOf<typeof projectImportSpaceKind>> = {
  kind: projectImportSpaceKind,
  sourceField: 'sourceSpace',
  sourceIn: ({ sourceSpace }) => sourceSpace,
  requiredMembers: ['name', 'cluster'],
  instances: spaceRules,
  sourceResource: namespaces,
  // The user who imports the namespace becomes its admin, and programs in the namespace may control the cluster.
  actsOnHost: true,
  driverOf: ({ spaces }) => spaces,
  locationOf: ({ name }) => ({ namespace: name, name: '' }),
  specOf: ({ cluster, name }) => ({ clusterRef: { cluster, namespace: name } }),
  checkSource,
};

/** POST `projects/<name>/importspace`. The controller then adds the role bindings of the space to the namespace. */
export function importSpace(options: ImportOptions): MountedSubresource {
  return importInstance(rules, options);
}

/**
 * Throws 403 for namespaces of Kubernetes itself, because an admin of such a namespace can control the whole cluster.
 * Throws 409 for the namespace of an existing instance. Checking only the owner label would not be sufficient: the
 * namespace of an imported virtual cluster has no owner label, but contains the credentials of the virtual cluster.
 */
function checkSource({ name, cluster }: ImportSource, { owner }: HostedVirtualCluster, state: ManagementState): void {
  if (name === 'default' || name.startsWith('kube-')) {
    throw forbidden(namespaces, name, 'namespaces of Kubernetes itself cannot be imported');
  }
  const isHeld =
    isInstanceIn(instanceKinds, { cluster, namespace: name }, state) || (owner !== '' && isOwnerPresent(owner, state));
  if (isHeld) throw conflict(namespaces, name, `an instance on the cluster ${cluster} already has this namespace`);
}
