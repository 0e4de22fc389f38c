import { type CheckpointKey, makeCheckpointKey, openCheckpointKey } from '../../audit/chain/checkpoint-key.ts';
import { StartError } from '../../process/start-error.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { installationKey } from '../data/installation.ts';

const purpose = 'audit key';
const rowKey = installationKey('audit-key');

/**
 * Returns the key that signs the audit logs of this installation. The key is stored sealed in a row of the store, which
 * all replicas share. The first server creates it. Throws StartError if the key cannot be used.
 */
export async function loadAuditKey(store: Store, sealer: Sealer): Promise<CheckpointKey> {
  for (;;) {
    const entry = await store.get(rowKey);
    if (entry !== undefined) return open(sealer, entry.value);
    const value = sealer.seal(purpose, makeCheckpointKey());
    try {
      await store.transact({ checks: [{ key: rowKey, revision: undefined }], writes: [{ key: rowKey, value }] });
    } catch (error) {
      // Another server has stored its key at the same time. This server uses that key.
      if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
    }
  }
}

function open(sealer: Sealer, sealed: string): CheckpointKey {
  try {
    return openCheckpointKey(sealer.open(purpose, sealed));
  } catch (error) {
    throw new StartError('the key of the audit log in the store cannot be decrypted; restore the store from a backup', {
      cause: error,
    });
  }
}
