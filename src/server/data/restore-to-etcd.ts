import { resolve } from 'node:path';
import { fileExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { readSealKeyFile } from '../../seal/seal-key-file.ts';
import { readBackup } from '../../store/backup.ts';
import type { EtcdStoreSettings } from '../settings/store-settings.ts';
import { checkOwnerReferences } from './check-owner-references.ts';
import { assertSupportedSchema } from './check-schema.ts';
import { checkSealKey } from './installation.ts';
import { isUnloggedRow } from './is-unlogged-row.ts';
import { readEtcdCredentials } from './read-etcd-credentials.ts';
import { backupFileLines } from './restore.ts';

/** `flotilla restore --store https://…`: creates a store on etcd from a backup. Returns the message to print. */
export async function runRestoreToEtcd(file: string, etcd: EtcdStoreSettings, sealKeyFile?: string): Promise<string> {
  const source = resolve(file);
  if (!(await fileExists(source))) throw new StartError(`backup ${source} not found`);
  const sealKey = sealKeyFile === undefined ? undefined : await readSealKeyFile(sealKeyFile);
  if (sealKeyFile !== undefined && sealKey === undefined) throw new StartError(`seal key ${sealKeyFile} not found`);
  const { endpoints, prefix } = etcd;
  const credentials = await readEtcdCredentials(etcd);
  const { importIntoEtcd } = await import('../../store/etcd/import-store.ts');
  const { entries } = await importIntoEtcd({
    endpoints,
    prefix,
    credentials,
    rows: checkOwnerReferences(readBackup(backupFileLines(source))),
    isUnlogged: isUnloggedRow,
    async check(store) {
      await assertSupportedSchema(store);
      if (sealKey !== undefined && sealKeyFile !== undefined)
        await checkSealKey(store, openSealer(sealKey), sealKeyFile);
    },
  });
  return [
    `restored ${entries} entries to ${endpoints} (prefix ${prefix})`,
    'The backup does not contain the seal key. Start each server with a copy of it: seal.key in its data directory, or --seal-key-file.',
    'Use new data directories, or those of servers of this installation.',
    '',
  ].join('\n');
}
