import { writeAuthorityFiles } from '../../process/certificates.ts';
import { writeSigningKeyFile } from '../../process/signing-key-file.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import type { DataDir } from '../data/data-dir.ts';
import { installationKey, secretRowNames } from '../data/installation.ts';
import { assertAuthorityFiles, readAuthorityFileSet } from './authority-files.ts';
import { openAuthority } from './shared-authority.ts';
import { openKeySet } from './shared-signing-keys.ts';
import { assertSigningKeyFiles, readSigningKeyFiles } from './signing-key-files.ts';

/**
 * Moves secrets from the rows of a store that is not shared to files in the data directory. Such a store has secrets in
 * rows after a migration from etcd, or if it was restored from a backup of etcd. The rows are removed, so they never
 * contradict the files. If the move is interrupted, the next start continues it. Throws StartError if a file
 * contradicts a row.
 */
export async function moveSecretsToFiles(store: Store, sealer: Sealer, dir: DataDir): Promise<void> {
  const [keys, ca] = await Promise.all(secretRowNames.map((name) => store.get(installationKey(name))));
  if (keys !== undefined) {
    const set = openKeySet(sealer, keys.value);
    assertSigningKeyFiles(await readSigningKeyFiles(undefined, dir.signingKey), set);
    await writeSigningKeyFile(dir.signingKey, set);
  }
  if (ca !== undefined) {
    const authority = openAuthority(sealer, ca.value);
    const files = await readAuthorityFileSet(undefined, dir);
    assertAuthorityFiles(files, authority);
    if (files.copied.pair === undefined) await writeAuthorityFiles(dir, authority);
  }
  const writes = [keys, ca].filter((row) => row !== undefined).map(({ key }) => ({ key, value: undefined }));
  if (writes.length > 0) await store.transact({ writes });
}
