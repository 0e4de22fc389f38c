import type { OffboardingItem } from '../../api/management/v1/subresources/user-offboarding.ts';
import type { InstanceCredential } from '../../api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { projectOfNamespace } from '../../api/naming.ts';

/** Returns the item of a credential in a virtual cluster. `message` describes what happens to the credential. */
export function credentialItem(
  { kind, namespace, name, serviceAccount, lastUsed }: InstanceCredential,
  { metadata }: VirtualClusterInstance,
  { action, message }: { readonly action: OffboardingItem['action']; readonly message: string },
): OffboardingItem {
  const project = projectOfNamespace(metadata.namespace ?? '');
  const used = lastUsed === undefined ? '' : `, last used ${lastUsed}`;
  const what = kind === 'Secret' ? `of service account ${serviceAccount}, ` : '';
  return {
    kind: kind === 'Secret' ? 'Secret' : 'ServiceAccountToken',
    ...(project === undefined ? {} : { project }),
    name: `${namespace}/${name}`,
    action,
    message: `${what}in virtual cluster ${metadata.name}${used}; ${message}`,
  };
}
