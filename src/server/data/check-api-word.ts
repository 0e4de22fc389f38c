import { apiWordVariable, defaultApiWord } from '../../api/api-word.ts';
import { StartError } from '../../process/start-error.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { hasSealedValues, installationKey } from './installation.ts';

/** The key of the row with the API word of the installation. The row is in the store so that backups contain it. */
const apiWordKey = installationKey('api-word');

/**
 * Rejects an API word that differs from the API word of the installation, because all stored names contain the word.
 * The first start records the word. Must be called before the seal key is recorded: a store with a seal key and without
 * a word was created by a version without this setting, and its word is the default.
 */
export async function checkApiWord(store: Store, word: string): Promise<void> {
  for (;;) {
    const isOld = await hasSealedValues(store);
    const recorded = (await store.get(apiWordKey))?.value ?? (isOld ? defaultApiWord : undefined);
    if (recorded === word) return;
    if (recorded !== undefined) throw wrongApiWord(recorded, word);
    try {
      await store.transact({
        checks: [{ key: apiWordKey, revision: undefined }],
        writes: [{ key: apiWordKey, value: word }],
      });
      return;
    } catch (error) {
      // Continues after CheckFailed: another server recorded its word at the same moment.
      if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
    }
  }
}

function wrongApiWord(recorded: string, word: string): StartError {
  return new StartError(
    `this installation has the API word "${recorded}", which cannot be changed to "${word}": set api.word: ${recorded} in the configuration file, or ${apiWordVariable}=${recorded}; for another word create a new installation with another --data-dir or --etcd-prefix`,
  );
}
