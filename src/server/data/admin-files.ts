import { rm } from 'node:fs/promises';
import { adminUser } from '../../api/naming.ts';
import { writePrivateFile } from '../../lib/private-file.ts';
import { fileExists, readIfExists } from '../../process/private-dir.ts';
import { adminKubeconfig, type KubeconfigContent, refreshKubeconfig } from '../kubeconfig.ts';
import type { DataDir } from './data-dir.ts';

/**
 * Writes the administrator's access key to its file. Must be called before the key is stored in the store. If the
 * server crashes between the two writes, only an unused file remains. In the other order, the value of a stored key
 * could be lost.
 */
export async function writeAdminKey(dir: DataDir, key: string): Promise<void> {
  await writePrivateFile(dir.adminKey, `${key}\n`);
}

/** Removes the file that `writeAdminKey` has written, because another server has created the key of the administrator. */
export async function removeAdminKey(dir: DataDir): Promise<void> {
  await rm(dir.adminKey, { force: true });
}

/**
 * Creates the administrator's kubeconfig on the first start, or on the next start if the first one was interrupted.
 * Later starts only update the addresses in the file.
 */
export async function ensureAdminKubeconfig(
  dir: DataDir,
  content: KubeconfigContent,
  isNewKey: boolean,
): Promise<void> {
  if (!isNewKey && (await fileExists(dir.adminKubeconfig))) {
    await refreshKubeconfig(dir.adminKubeconfig, content);
    return;
  }
  const key = (await readIfExists(dir.adminKey))?.trim();
  // Stops here if the key file is missing. An administrator may have deleted it, and the key must then not appear in
  // another file.
  if (key === undefined || key === '') return;
  await writePrivateFile(dir.adminKubeconfig, adminKubeconfig(content, adminUser, key));
}
