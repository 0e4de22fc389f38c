import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { linesOf } from '../lib/lines.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import { describe, exists, isEmptyDirectory } from '../process/private-dir.ts';
import { StartError } from '../process/start-error.ts';
import { openSealer } from '../seal/open-sealer.ts';
import { readSealKeyFile } from '../seal/seal-key-file.ts';
import { restoreBackup } from '../store/backup.ts';
import { openEmbeddedStore } from '../store/embedded.ts';
import { type DataDir, dataDirAt, openDataDir } from './data-dir.ts';
import { checkSealKey } from './installation.ts';

/** `flotilla restore`: a data directory from a backup. Returns what to tell the user. */
export async function restore(file: string, dataDir: string, sealKeyFile?: string): Promise<string> {
  const source = resolve(file);
  if (!(await exists(source))) throw new StartError(`the backup ${source} does not exist`);
  if (!(await isEmptyDirectory(dataDirAt(dataDir).path))) {
    throw new StartError(`${dataDirAt(dataDir).path} is not empty; a restore makes a new data directory`);
  }
  const sealKey = sealKeyFile === undefined ? undefined : await readSealKeyFile(sealKeyFile);
  if (sealKeyFile !== undefined && sealKey === undefined) throw new StartError(`${sealKeyFile} does not exist`);
  const dir = await openDataDir(dataDir);
  try {
    const { entries } = await restoreBackup(linesIn(source), dir.store);
    if (sealKey !== undefined && sealKeyFile !== undefined) await putSealKey(dir, sealKey, sealKeyFile);
    return told(dir, entries, sealKey !== undefined);
  } catch (error) {
    await rm(dir.store, { recursive: true, force: true });
    throw error;
  }
}

async function putSealKey(dir: DataDir, key: Uint8Array, from: string): Promise<void> {
  const store = await openEmbeddedStore({ directory: dir.store });
  try {
    await checkSealKey(store, openSealer(key), from);
  } finally {
    await store.close();
  }
  await writePrivateFile(dir.sealKey, `${Buffer.from(key).toString('base64')}\n`);
}

function told(dir: DataDir, entries: number, hasSealKey: boolean): string {
  const sealKey = hasSealKey
    ? `The seal key was put at ${dir.sealKey}.`
    : `The seal key is not part of a backup: put it at ${dir.sealKey} (mode 0600) before the first start.`;
  return [
    `restored ${entries} entries to ${dir.path}`,
    sealKey,
    'Neither are certificates, the signing key and admin.kubeconfig: copy them too, or new ones are made where they can be.',
    '',
  ].join('\n');
}

async function* linesIn(path: string): AsyncGenerator<string> {
  try {
    yield* linesOf(createReadStream(path));
  } catch (error) {
    throw new StartError(`the backup ${path} cannot be read: ${describe(error)}`, { cause: error });
  }
}
