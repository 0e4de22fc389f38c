import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { StartError } from '../process/start-error.ts';
import { isUnloggedKey } from '../registry/rows/rows.ts';
import { Keyring, keyringKey, newKeyring } from '../seal/keyring/keyring.ts';
import { defaultEncryptedRows, encodeKeyring, rootsOf } from '../seal/keyring/keyring-record.ts';
import { deriveSealerKeys, SealError, type SealerKeys } from '../seal/open-sealer.ts';
import { keyFileRootKeys } from '../seal/root/key-file-root-keys.ts';
import type { RootKeys } from '../seal/root/root-keys.ts';
import { encryptedStore } from '../seal/rows/encrypted-store.ts';
import { type EncryptedRows, RowCipher } from '../seal/rows/row-cipher.ts';
import { RowRewriter } from '../seal/rows/row-rewriter.ts';
import { readSealKeyFile } from '../seal/seal-key-file.ts';
import { openEmbeddedStore } from '../store/embedded/embedded.ts';
import type { Key } from '../store/key.ts';
import type { Store } from '../store/store.ts';

export interface AgentStoreOptions {
  readonly directory: string;
  readonly sealKeyFile: string;
  /** The rows to encrypt; `undefined` to keep the choice with which the store was created. */
  readonly rows: EncryptedRows | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The store of an agent's built-in cluster. */
export interface AgentStore {
  /** The store with decrypted values. */
  readonly store: Store;
  readonly sealerKeys: SealerKeys;
  close(): Promise<void>;
}

/** The amount of history that the store keeps, so that watches can resume. */
const retention = { ageMilliseconds: 300_000, changes: 10_000 };

/**
 * Opens the store, whose values are encrypted at rest. An agent has no command for a rotation. Instead, this function
 * rotates the keys if the first key of the seal key file or the setting has changed, and the agent rewrites the rows in
 * the background. Rejects with StartError if the seal key belongs to another store.
 */
export async function openAgentStore(options: AgentStoreOptions): Promise<AgentStore> {
  const { directory, sealKeyFile, rows, clock, log } = options;
  const encrypted = await openEmbeddedStore({ directory, clock, retention, log });
  try {
    const roots = keyFileRootKeys(sealKeyFile);
    if ((await encrypted.get(keyringKey)) === undefined) await createKeyring(encrypted, roots, options);
    const keyring = await Keyring.open({ store: encrypted, roots, rows, clock, log });
    keyring.enable();
    if (await needsRotation(keyring, roots)) await keyring.rotate();
    const cipher = new RowCipher(keyring);
    const store = encryptedStore({ store: encrypted, cipher, isExempt: isKeyRow, loadKey: (id) => keyring.load(id) });
    const parts = { encrypted, store, keyring, cipher, isExempt: isKeyRow, isUnlogged: isUnloggedKey };
    const stopRewriter = new RowRewriter({ ...parts, clock, log }).start();
    return {
      store,
      sealerKeys: keyring.sealerKeys,
      async close() {
        keyring.close();
        await stopRewriter();
        await encrypted.close();
      },
    };
  } catch (error) {
    await encrypted.close();
    if (error instanceof SealError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** True for the rows with the keys and with the progress of a rewrite, which are the only rows in this slice. */
function isKeyRow({ slice }: Key): boolean {
  return slice === keyringKey.slice;
}

/** Creates the keyring. It contains the keys derived from the seal key, with which earlier versions sealed secrets. */
async function createKeyring(store: Store, roots: RootKeys, { sealKeyFile, rows }: AgentStoreOptions): Promise<void> {
  const [sealKey] = (await readSealKeyFile(sealKeyFile)) ?? [];
  if (sealKey === undefined) throw new SealError(`the seal key ${sealKeyFile} is missing`);
  const chosen = rows ?? ((await isEmpty(store)) ? defaultEncryptedRows : 'secrets');
  const record = await newKeyring(roots, chosen, deriveSealerKeys(sealKey));
  await store.transact({ writes: [{ key: keyringKey, value: encodeKeyring(record) }] });
}

async function isEmpty(store: Store): Promise<boolean> {
  for await (const row of store.dump()) if (row.row === 'entry') return false;
  return true;
}

async function needsRotation({ record, rows }: Keyring, roots: RootKeys): Promise<boolean> {
  const current = await roots.currentId();
  const lacksDataKey = rows === 'all' && record.dataKeys.length === 0;
  return lacksDataKey || rows !== record.rows || rootsOf(record).some((id) => id !== current);
}
