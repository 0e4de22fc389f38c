import { adminUser } from '../api/naming.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import { exists, readIfThere } from '../process/private-dir.ts';
import type { DataDir } from './data-dir.ts';
import { adminKubeconfig, type KubeconfigContent, refreshKubeconfig } from './kubeconfig.ts';

/** Kept before the key is stored: a crash in between leaves a file that opens nothing, never a key that is lost. */
export async function keepAdminKey(dir: DataDir, key: string): Promise<void> {
  await writePrivateFile(dir.adminKey, `${key}\n`);
}

/**
 * Makes the administrator's kubeconfig on the first start (and after one that was cut short); later only brings its
 * addresses up to date.
 */
export async function keepAdminKubeconfig(dir: DataDir, content: KubeconfigContent, isNewKey: boolean): Promise<void> {
  if (!isNewKey && (await exists(dir.adminKubeconfig))) {
    await refreshKubeconfig(dir.adminKubeconfig, content);
    return;
  }
  const key = (await readIfThere(dir.adminKey))?.trim();
  // An administrator who took the key away does not want it back in another file.
  if (key === undefined || key === '') return;
  await writePrivateFile(dir.adminKubeconfig, adminKubeconfig(content, adminUser, key));
}
