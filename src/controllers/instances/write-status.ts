import { ignoreNotFound } from '../runtime/ignore-not-found.ts';
import type { Instance, InstanceClient } from './instance-profile.ts';
import type { StatusDraft } from './status-draft.ts';

/**
 * Writes the changed status. The patch contains the uid. Therefore the server rejects it if a new instance has the name
 * of this instance.
 */
export async function writeStatus(
  instances: InstanceClient,
  { metadata }: Instance,
  draft: StatusDraft,
  signal: AbortSignal,
): Promise<void> {
  const status = draft.patch();
  if (status === undefined) return;
  const { namespace = '', name = '', uid = '' } = metadata;
  await ignoreNotFound(instances.patchStatus({ namespace, name }, { metadata: { uid }, status }, { signal }));
}
