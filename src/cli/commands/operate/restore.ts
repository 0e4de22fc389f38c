import { usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { readEtcdSettings } from './etcd-settings.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const [file, directory] = [values.argument('file'), values.text('data-dir')];
  const options = {
    sealKeyFile: values.text('seal-key-file'),
    passphraseFile: values.text('passphrase-file'),
    trustsKeys: values.flag('trust-keys'),
  };
  const etcd = await readEtcdSettings(values);
  if (etcd !== undefined && options.passphraseFile !== undefined) {
    throw usageError('--passphrase-file needs --data-dir; servers on etcd get the seal key with --seal-key-file');
  }
  if (etcd !== undefined && directory === undefined) {
    const { runRestoreToEtcd } = await import('../../../server/data/restore-to-etcd.ts');
    terminal.print(await runRestoreToEtcd(file, etcd, options));
    return undefined;
  }
  if (directory === undefined || etcd !== undefined) {
    throw usageError('flotilla restore needs either --data-dir or --store');
  }
  const { runRestore } = await import('../../../server/data/restore.ts');
  terminal.print(await runRestore(file, directory, options));
  return undefined;
};
