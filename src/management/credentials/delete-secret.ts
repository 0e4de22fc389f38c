import type { InstanceCredential } from '../../api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import { StatusError } from '../../api/status.ts';
import type { VirtualClusterClient } from '../../hosts/virtual-cluster-client.ts';

/** Deletes the Secret of a credential inside the virtual cluster, if it still exists. */
export async function deleteSecret(
  client: VirtualClusterClient,
  { namespace, name }: Pick<InstanceCredential, 'namespace' | 'name'>,
): Promise<void> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  await client.delete(path).catch((error: unknown) => {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  });
}
