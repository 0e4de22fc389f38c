import type {
  VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import { ignoreNotFound } from '../runtime/ignore-not-found.ts';
import type { StatusDraft } from './status-draft.ts';

/** Writes the changed status. The uid in the patch prevents a write to a new instance with the same name. */
export async function writeStatus(
  instances: ResourceClient<FieldsOf<typeof virtualClusterInstanceKind>>,
  { metadata }: VirtualClusterInstance,
  draft: StatusDraft,
  signal: AbortSignal,
): Promise<void> {
  const status = draft.patch();
  if (status === undefined) return;
  const { namespace = '', name = '', uid = '' } = metadata;
  await ignoreNotFound(instances.patchStatus({ namespace, name }, { metadata: { uid }, status }, { signal }));
}
