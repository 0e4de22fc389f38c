import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { RevisionCheck } from '../../store/store.ts';

/** Deletes an access key as the server itself. Succeeds if the key is already deleted. */
export async function removeAccessKey(
  kinds: KindStores,
  { metadata }: Pick<AccessKey, 'metadata'>,
  fence?: RevisionCheck,
): Promise<void> {
  const { name = '', uid = '' } = metadata;
  const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: { uid } };
  try {
    await storeOf(kinds, accessKeyKind).verbs.delete(systemContext('', undefined, fence), name, how);
  } catch (error) {
    // Ignores 404 (the key is already deleted) and 409 (it is deleted, and a new key has its name).
    if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
  }
}
