import type { Kubectl } from '../harness/kubectl.ts';

/** Objects that vCluster, its chart or a connected server may create. */
const kinds = [
  'namespaces',
  'pods',
  'services',
  'configmaps',
  'secrets',
  'serviceaccounts',
  'persistentvolumeclaims',
  'persistentvolumes',
  'statefulsets.apps',
  'deployments.apps',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
  'storageclasses.storage.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
];

/** The objects of a cluster, each as `Kind/namespace/name`. */
export type HostObjects = ReadonlySet<string>;

export async function readHostObjects(host: Kubectl): Promise<HostObjects> {
  const format = 'jsonpath={range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name}{"\\n"}{end}';
  const listed = await host.ok(['get', kinds.join(','), '--all-namespaces', '-o', format]);
  return new Set(listed.split('\n').filter((line) => line !== ''));
}

/**
 * Returns the objects that were added. Objects in namespaces that existed before are left out, because other users of
 * the cluster may have created them.
 */
export function addedObjects(before: HostObjects, after: HostObjects): string[] {
  return [...after].filter((each) => {
    const namespace = each.split('/')[1] ?? '';
    return !before.has(each) && (namespace === '' || !before.has(`Namespace//${namespace}`));
  });
}
