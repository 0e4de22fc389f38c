import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type CertificatePair, ensureCertificateAuthority, writeAuthorityFiles } from '../../process/certificates.ts';
import type { CloseStack } from '../../process/close-stack.ts';
import { writeSigningKeyFile } from '../../process/signing-key-file.ts';
import { openSigningKeys, openStoredSigningKeys, type SigningKeys } from '../../process/signing-keys.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import type { DataDir } from '../data/data-dir.ts';
import type { ServerOptions } from '../settings/options.ts';
import { assertAuthorityFiles, readAuthorityFileSet } from './authority-files.ts';
import { InstallationRows } from './installation-rows.ts';
import { moveSecretsToFiles } from './move-secrets-to-files.ts';
import { loadSharedAuthority } from './shared-authority.ts';
import { SharedSigningKeys } from './shared-signing-keys.ts';
import { assertSigningKeyFiles, readSigningKeyFiles } from './signing-key-files.ts';

export interface SecretsOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly dir: DataDir;
  readonly settings: Pick<ServerOptions, 'signingKeyFile' | 'authority'>;
  /** The longest lifetime of a token in seconds. */
  readonly longestTTL: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly closing: CloseStack;
}

/** The secrets of an installation other than the seal key. */
export interface InstallationSecrets {
  readonly signingKeys: SigningKeys;
  readonly authority: CertificatePair;
  /** The rows of the installation. Absent if the secrets are files. */
  readonly rows?: InstallationRows;
}

/**
 * Loads the signing keys and the certificate authority, or creates them. With a shared store, the keys and the
 * authority are sealed rows; otherwise, they are files in the data directory. Throws StartError with a one-line
 * message.
 */
export function loadSecrets(options: SecretsOptions): Promise<InstallationSecrets> {
  return options.store.isShared ? loadFromStore(options) : loadFromFiles(options);
}

async function loadFromStore(options: SecretsOptions): Promise<InstallationSecrets> {
  const { store, sealer, dir, settings, longestTTL, clock, log, closing } = options;
  const keyFiles = await readSigningKeyFiles(settings.signingKeyFile, dir.signingKey);
  const authorityFiles = await readAuthorityFileSet(settings.authority, dir);
  const rows = await InstallationRows.open(store, { clock, log });
  closing.add('secrets', () => rows.close());
  const authority = await loadSharedAuthority({ rows, sealer, files: authorityFiles, clock });
  const storage = await SharedSigningKeys.open({ rows, sealer, files: keyFiles, copyTo: dir.signingKey, log });
  const signingKeys = await openStoredSigningKeys({ storage, clock, longestTTL, log });
  await storage.copied();
  closing.add('copy of the signing keys', () => storage.copied());
  return { signingKeys, authority, rows };
}

async function loadFromFiles(options: SecretsOptions): Promise<InstallationSecrets> {
  const { store, sealer, dir, settings, longestTTL, clock } = options;
  await moveSecretsToFiles(store, sealer, dir);
  const keyFiles = await readSigningKeyFiles(settings.signingKeyFile, dir.signingKey);
  if (keyFiles.copied !== undefined) assertSigningKeyFiles(keyFiles, keyFiles.copied.set);
  else if (keyFiles.configured !== undefined) await writeSigningKeyFile(dir.signingKey, keyFiles.configured.set);
  const authorityFiles = await readAuthorityFileSet(settings.authority, dir);
  const { configured, copied } = authorityFiles;
  if (copied.pair !== undefined) assertAuthorityFiles(authorityFiles, copied.pair);
  else if (configured?.pair !== undefined) await writeAuthorityFiles(dir, configured.pair);
  const authority = await ensureCertificateAuthority(dir, clock);
  const signingKeys = await openSigningKeys({ path: dir.signingKey, clock, longestTTL });
  return { signingKeys, authority };
}
