import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Store } from '../../store/store.ts';
import type { DataDir } from '../data/data-dir.ts';
import { readKeyFiles, readPassphrase, sealKeyFiles } from '../recovery/sealed-keys.ts';
import type { BackupSettings } from '../settings/backup-settings.ts';
import type { ServerOptions } from '../settings/options.ts';
import type { BackupDestination } from './backup-destination.ts';
import { BackupNames } from './backup-name.ts';
import { DirectoryDestination } from './directory-destination.ts';
import { ScheduledBackups } from './scheduled-backups.ts';

export interface OpenBackupsOptions {
  readonly settings: Pick<ServerOptions, 'backup' | 'store' | 'sealKeyFile' | 'signingKeyFile' | 'authority'>;
  readonly dir: DataDir;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Opens the backups of the settings; `undefined` if none are scheduled. Rejects with StartError if the passphrase
 * cannot be used. The destination is not checked: the server starts even if the destination is unavailable.
 */
export async function openScheduledBackups(options: OpenBackupsOptions): Promise<ScheduledBackups | undefined> {
  const { settings, dir, store, clock, log } = options;
  const { backup } = settings;
  if (backup === undefined) return undefined;
  const { passphraseFile } = backup;
  if (passphraseFile !== undefined) await readPassphrase(passphraseFile);
  const keyDir = keyFilesOf(dir, settings);
  const names = new BackupNames(store.identity);
  return new ScheduledBackups({
    settings: backup,
    destination: await openDestination(backup, names, settings.store === 'embedded' ? dir.path : undefined),
    names,
    store,
    sealKeys: async () =>
      passphraseFile && (await sealKeyFiles(await readKeyFiles(keyDir), await readPassphrase(passphraseFile))),
    clock,
    log,
  });
}

async function openDestination(
  { destination }: BackupSettings,
  names: BackupNames,
  storeDirectory: string | undefined,
): Promise<BackupDestination> {
  if ('directory' in destination) return new DirectoryDestination({ ...destination, names, storeDirectory });
  const { S3Destination } = await import('./s3-destination.ts');
  return new S3Destination(destination.s3, names);
}

/** Returns the paths of the keys, which flags may place outside the data directory. */
function keyFilesOf(dir: DataDir, settings: OpenBackupsOptions['settings']): DataDir {
  const { sealKeyFile, signingKeyFile, authority } = settings;
  return {
    ...dir,
    sealKey: sealKeyFile ?? dir.sealKey,
    signingKey: signingKeyFile ?? dir.signingKey,
    caCertificate: authority?.certFile ?? dir.caCertificate,
    caKey: authority?.keyFile ?? dir.caKey,
  };
}
