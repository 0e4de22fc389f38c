import { defaultHostAccessSettings } from '../../../api/management/host-access/host-access-settings.ts';
import { applyObjects } from '../../apply-objects.ts';
import type { InstallRequest } from '../../host.ts';
import { createVirtualClusterClient } from '../../virtual-cluster-client.ts';
import type { HostContext } from '../release/host-context.ts';
import { openTemplateAccount } from './template-account.ts';

/** Applies the objects of a template in the host namespace, as a service account without other permissions. */
export async function applyTemplateObjects(
  work: HostContext,
  { location, space = {} }: InstallRequest,
  signal: AbortSignal,
): Promise<void> {
  const { objects = [], allowedResources = defaultHostAccessSettings.allowedResources } = space;
  if (objects.length === 0) return;
  const account = await openTemplateAccount(work, location.namespace, allowedResources, signal);
  const client = createVirtualClusterClient(account, signal);
  await applyObjects(objects, client, { name: location.namespace, allowedResources });
}
