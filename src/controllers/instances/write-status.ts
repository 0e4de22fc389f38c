import type { KubeObject } from '../../api/meta.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import { unlessGone } from '../runtime/unless-gone.ts';
import type { StatusDraft } from './status-draft.ts';

/** Writes what is new. Bound to the uid: an instance of the same name that has come since is another one. */
export async function writeStatus(
  instances: ResourceClient,
  { metadata }: KubeObject,
  draft: StatusDraft,
  signal: AbortSignal,
): Promise<void> {
  const status = draft.patch();
  if (status === undefined) return;
  const { namespace = '', name = '', uid = '' } = metadata;
  await unlessGone(instances.patchStatus({ namespace, name }, { metadata: { uid }, status }, { signal }));
}
