import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writePrivateFile } from '../../lib/private-file.ts';
import { readLines } from '../../lib/read-lines.ts';
import { describeError, fileExists, isEmptyDirectory } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { readSealKeyFile } from '../../seal/seal-key-file.ts';
import { restoreBackup } from '../../store/backup.ts';
import { openEmbeddedStore } from '../../store/embedded/embedded.ts';
import { type DataDir, dataDirAt, openDataDir } from './data-dir.ts';
import { checkSealKey } from './installation.ts';

/** `flotilla restore`: creates a data directory from a backup. Returns the message to print. */
export async function runRestore(file: string, dataDir: string, sealKeyFile?: string): Promise<string> {
  const source = resolve(file);
  if (!(await fileExists(source))) throw new StartError(`backup ${source} not found`);
  if (!(await isEmptyDirectory(dataDirAt(dataDir).path))) {
    throw new StartError(`${dataDirAt(dataDir).path} is not empty; restore into a new data directory`);
  }
  const sealKey = sealKeyFile === undefined ? undefined : await readSealKeyFile(sealKeyFile);
  if (sealKeyFile !== undefined && sealKey === undefined) throw new StartError(`seal key ${sealKeyFile} not found`);
  const dir = await openDataDir(dataDir);
  try {
    const { entries } = await restoreBackup(backupFileLines(source), dir.store);
    if (sealKey !== undefined && sealKeyFile !== undefined) await installSealKey(dir, sealKey, sealKeyFile);
    return restoreMessage(dir, entries, sealKey !== undefined);
  } catch (error) {
    await rm(dir.store, { recursive: true, force: true });
    throw error;
  }
}

async function installSealKey(dir: DataDir, key: Uint8Array, from: string): Promise<void> {
  const store = await openEmbeddedStore({ directory: dir.store });
  try {
    await checkSealKey(store, openSealer(key), from);
  } finally {
    await store.close();
  }
  await writePrivateFile(dir.sealKey, `${Buffer.from(key).toString('base64')}\n`);
}

function restoreMessage(dir: DataDir, entries: number, hasSealKey: boolean): string {
  const sealKey = hasSealKey
    ? `The seal key was copied to ${dir.sealKey}.`
    : `The backup does not contain the seal key. Copy it to ${dir.sealKey} (mode 0600) before the first start.`;
  return [
    `restored ${entries} entries to ${dir.path}`,
    sealKey,
    'It does not contain certificates, the signing key and admin.kubeconfig either. Copy them too, or new ones are created where possible.',
    '',
  ].join('\n');
}

/** Yields the lines of a backup file. */
export async function* backupFileLines(path: string): AsyncGenerator<string> {
  try {
    yield* readLines(createReadStream(path));
  } catch (error) {
    throw new StartError(`cannot read the backup ${path}: ${describeError(error)}`, { cause: error });
  }
}
