import { resolve } from 'node:path';
import { fileExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { readBackup } from '../../store/backup.ts';
import { checkRestoredKeys, readNamedSealKeys } from '../encryption/check-restored-keys.ts';
import { withRestoreMark } from '../recovery/restore-mark.ts';
import type { EtcdStoreSettings } from '../settings/store-settings.ts';
import { checkOwnerReferences } from './check-owner-references.ts';
import { assertSupportedSchema } from './check-schema.ts';
import { isUnloggedRow } from './is-unlogged-row.ts';
import { readEtcdCredentials } from './read-etcd-credentials.ts';
import { accessMessage, backupFileLines, type RestoreOptions } from './restore.ts';

/** `flotilla restore --store https://…`: creates a store on etcd from a backup. Returns the message to print. */
export async function runRestoreToEtcd(
  file: string,
  etcd: EtcdStoreSettings,
  { sealKeyFile, trustsKeys = false }: RestoreOptions = {},
): Promise<string> {
  const source = resolve(file);
  if (!(await fileExists(source))) throw new StartError(`backup ${source} not found`);
  const sealKeys = sealKeyFile === undefined ? undefined : await readNamedSealKeys(sealKeyFile);
  const { endpoints, prefix } = etcd;
  const credentials = await readEtcdCredentials(etcd);
  const { importIntoEtcd } = await import('../../store/etcd/import-store.ts');
  const { entries } = await importIntoEtcd({
    endpoints,
    prefix,
    credentials,
    rows: checkOwnerReferences(withRestoreMark(readBackup(backupFileLines(source)), trustsKeys)),
    isUnlogged: isUnloggedRow,
    async check(store) {
      await assertSupportedSchema(store);
      if (sealKeys !== undefined && sealKeyFile !== undefined) await checkRestoredKeys(store, sealKeys, sealKeyFile);
    },
  });
  return [
    `restored ${entries - 1} entries to ${endpoints} (prefix ${prefix})`,
    'The backup does not contain the seal key. Start each server with a copy of it: seal.key in its data directory, or --seal-key-file.',
    'Use new data directories, or those of servers of this installation.',
    accessMessage(trustsKeys),
    '',
  ].join('\n');
}
