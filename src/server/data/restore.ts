import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readLines } from '../../lib/read-lines.ts';
import { describeError, fileExists, isEmptyDirectory } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { writeSealKeyFile } from '../../seal/seal-key-file.ts';
import { readBackup, restoreRows } from '../../store/backup.ts';
import { openEmbeddedStore } from '../../store/embedded/embedded.ts';
import { checkRestoredKeys, readNamedSealKeys } from '../encryption/check-restored-keys.ts';
import { withRestoreMark } from '../recovery/restore-mark.ts';
import {
  type KeyFiles,
  missingKeyFiles,
  openKeyFiles,
  readKeyFiles,
  readPassphrase,
  writeKeyFiles,
} from '../recovery/sealed-keys.ts';
import { type DataDir, dataDirAt, openDataDir } from './data-dir.ts';

export interface RestoreOptions {
  readonly sealKeyFile?: string | undefined;
  /** The file with the passphrase of the keys that the backup includes. */
  readonly passphraseFile?: string | undefined;
  /** True if the access keys in the backup stay enabled. */
  readonly trustsKeys?: boolean;
}

/** `flotilla restore`: creates a data directory from a backup. Returns the message to print. */
export async function runRestore(file: string, dataDir: string, options: RestoreOptions = {}): Promise<string> {
  const { sealKeyFile, trustsKeys = false } = options;
  const source = resolve(file);
  if (!(await fileExists(source))) throw new StartError(`backup ${source} not found`);
  if (!(await isEmptyDirectory(dataDirAt(dataDir).path))) {
    throw new StartError(`${dataDirAt(dataDir).path} is not empty; restore into a new data directory`);
  }
  const sealKeys = sealKeyFile === undefined ? undefined : await readNamedSealKeys(sealKeyFile);
  const included = await includedKeys(source, options);
  const dir = await openDataDir(dataDir);
  try {
    const rows = withRestoreMark(readBackup(backupFileLines(source)), trustsKeys);
    const { entries } = await restoreRows(rows, dir.store);
    await writeKeyFiles(dir, included);
    if (sealKeys !== undefined) await writeSealKeyFile(dir.sealKey, sealKeys);
    const installed = await readKeyFiles(dir);
    if (installed.sealKey !== undefined) await checkSealKeyFile(dir, sealKeyFile ?? dir.sealKey);
    // The restore mark is subtracted: `entries` includes it, but it is not an entry of the backup.
    return restoreMessage(dir, entries - 1, installed, trustsKeys);
  } catch (error) {
    for (const path of [dir.store, dir.sealKey, dir.caCertificate, dir.caKey, dir.signingKey]) {
      await rm(path, { recursive: true, force: true });
    }
    throw error;
  }
}

/**
 * Decrypts the keys that the backup includes. Returns no keys if the caller has given the seal key instead of the
 * passphrase.
 */
async function includedKeys(source: string, { sealKeyFile, passphraseFile }: RestoreOptions): Promise<KeyFiles> {
  let sealed: string | undefined;
  for await (const row of readBackup(backupFileLines(source))) {
    if (row.row === 'head') sealed = row.sealedKeys;
    break;
  }
  if (passphraseFile === undefined) {
    if (sealed === undefined || sealKeyFile !== undefined) return {};
    throw new StartError(
      'the backup includes encrypted keys: set --passphrase-file, or --seal-key-file to restore it without them',
    );
  }
  if (sealed === undefined) throw new StartError('the backup does not include keys; leave out --passphrase-file');
  return await openKeyFiles(sealed, await readPassphrase(passphraseFile));
}

/**
 * Checks that the seal key in the data directory belongs to the store. `from` names the source of the key in error
 * messages.
 */
async function checkSealKeyFile(dir: DataDir, from: string): Promise<void> {
  const store = await openEmbeddedStore({ directory: dir.store });
  try {
    await checkRestoredKeys(store, await readNamedSealKeys(dir.sealKey), from);
  } finally {
    await store.close();
  }
}

function restoreMessage(dir: DataDir, entries: number, installed: KeyFiles, trustsKeys: boolean): string {
  const sealKey =
    installed.sealKey === undefined
      ? `The backup does not contain the seal key. Copy it to ${dir.sealKey} (mode 0600) before the first start.`
      : `The seal key was copied to ${dir.sealKey}.`;
  const missing = missingKeyFiles(installed);
  return [
    `restored ${entries} entries to ${dir.path}`,
    sealKey,
    ...missing,
    ...(missing.length === 0 ? [] : [`Copy missing files to ${dir.path} (mode 0600) before the first start.`]),
    accessMessage(trustsKeys),
    '',
  ].join('\n');
}

/** Returns a text that explains what the first start does with the access keys, logins and tokens in the backup. */
export function accessMessage(trustsKeys: boolean): string {
  const keys = trustsKeys
    ? 'Access keys in the backup stay valid, also those that were revoked after it was made.'
    : 'It disables all access keys, because some may have been revoked after the backup was made. Run "flotilla admin-key --data-dir <directory>" before the start to get access, then enable keys with "flotilla access-key enable --all <name>".';
  return `The first start ends all logins and tokens. ${keys}`;
}

/** Yields the lines of a backup file. */
export async function* backupFileLines(path: string): AsyncGenerator<string> {
  try {
    yield* readLines(createReadStream(path));
  } catch (error) {
    throw new StartError(`cannot read the backup ${path}: ${describeError(error)}`, { cause: error });
  }
}
