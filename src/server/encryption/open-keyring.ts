import { randomBytes } from 'node:crypto';
import { StartError } from '../../process/start-error.ts';
import { readSchema, schemaKey } from '../../replicas/store-schema.ts';
import { Keyring, type KeyringOptions, keyringKey, newKeyring } from '../../seal/keyring/keyring.ts';
import { encodeKeyring } from '../../seal/keyring/keyring-record.ts';
import { SealError, type SealerKeys, sealerWithKeys } from '../../seal/open-sealer.ts';
import type { EncryptedRows } from '../../seal/rows/row-cipher.ts';
import { readSealKeyFile } from '../../seal/seal-key-file.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { checkSealKeys, hasSealedValues, isSealKeyOf } from '../data/installation.ts';
import { loadSealerKeys } from '../data/load-sealer.ts';
import { encryptedRowsSchema, supportedSchemas } from '../data/supported-schemas.ts';

export interface OpenKeyringOptions extends KeyringOptions {
  /** The seal key file. With a KMS, it is used only to move an installation to the KMS. */
  readonly sealKeyFile: string;
  readonly hasKms: boolean;
  /** The rows that a new installation encrypts. */
  readonly rowsOfNew: EncryptedRows;
}

/** Opens the keys of the installation, or creates them. Rejects with StartError if a root key is missing or wrong. */
export async function openKeyring(options: OpenKeyringOptions): Promise<Keyring> {
  const { store } = options;
  try {
    if ((await store.get(keyringKey)) === undefined) await createKeyring(options);
    const keyring = await Keyring.open(options);
    await keyring.update(async (record) => {
      if (keyring.rows !== 'all' || record.dataKeys.length > 0) return undefined;
      return { ...record, dataKeys: [await keyring.newDataKey()] };
    });
    if ((await readSchema(store)).schema >= encryptedRowsSchema) keyring.enable();
    return keyring;
  } catch (error) {
    if (error instanceof SealError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/**
 * Writes the row with the keys. For a new store, the same transaction sets the schema that allows encrypted rows, so
 * that its first row is already encrypted. The row has no effect on older programs.
 */
async function createKeyring(options: OpenKeyringOptions): Promise<void> {
  const { store, roots, rowsOfNew } = options;
  const isNew = !(await hasSealedValues(store));
  const sealerKeys = await sealerKeysOf(options, isNew);
  const record = await newKeyring(roots, isNew ? rowsOfNew : 'secrets', sealerKeys);
  const schema = isNew && rowsOfNew === 'all' ? await readSchema(store) : undefined;
  const raises = schema !== undefined && schema.schema < encryptedRowsSchema;
  try {
    await store.transact({
      checks: [
        { key: keyringKey, revision: undefined },
        ...(raises ? [{ key: schemaKey, revision: schema.revision }] : []),
      ],
      writes: [
        { key: keyringKey, value: encodeKeyring(record) },
        ...(raises ? [{ key: schemaKey, value: String(supportedSchemas[1]) }] : []),
      ],
    });
  } catch (error) {
    // Continues after CheckFailed: another server created the row at the same moment.
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
    if ((await store.get(keyringKey)) === undefined) throw error;
  }
}

async function sealerKeysOf(
  { store, sealKeyFile, hasKms }: Pick<OpenKeyringOptions, 'store' | 'sealKeyFile' | 'hasKms'>,
  isNew: boolean,
): Promise<SealerKeys> {
  if (!hasKms) return await loadSealerKeys(sealKeyFile, store);
  if (isNew) return await newSealerKeys(store);
  const keys = await readSealKeyFile(sealKeyFile);
  if (keys !== undefined) return await checkSealKeys(store, keys, sealKeyFile);
  throw new StartError(
    `the store was sealed with a seal key: copy it to ${sealKeyFile} (mode 0600), or set --seal-key-file, for the first start with a KMS`,
  );
}

async function newSealerKeys(store: Store): Promise<SealerKeys> {
  const sealerKeys = { sealingKey: randomBytes(32), hashingKey: randomBytes(32) };
  if (await isSealKeyOf(store, sealerWithKeys(sealerKeys))) return sealerKeys;
  throw new StartError('another server has just created the keys of this store; start again');
}
