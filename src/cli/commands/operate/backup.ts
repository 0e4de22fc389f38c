import { usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { readEtcdSettings } from './etcd-settings.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const { runBackup } = await import('../../../server/data/backup.ts');
  const etcd = await readEtcdSettings(values);
  const passphraseFile = values.text('passphrase-file');
  if (values.flag('include-keys') !== (passphraseFile !== undefined)) {
    throw usageError('--include-keys and --passphrase-file must be set together');
  }
  terminal.print(await runBackup(values.argument('file'), values.text('data-dir'), { etcd, passphraseFile }));
  return undefined;
};
