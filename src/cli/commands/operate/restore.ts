import { usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { readEtcdSettings } from './etcd-settings.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const [file, directory, sealKeyFile] = [
    values.argument('file'),
    values.text('data-dir'),
    values.text('seal-key-file'),
  ];
  const etcd = await readEtcdSettings(values);
  if (etcd !== undefined && directory === undefined) {
    const { runRestoreToEtcd } = await import('../../../server/data/restore-to-etcd.ts');
    terminal.print(await runRestoreToEtcd(file, etcd, sealKeyFile));
    return undefined;
  }
  if (directory === undefined || etcd !== undefined) {
    throw usageError('flotilla restore needs either --data-dir or --store');
  }
  const { runRestore } = await import('../../../server/data/restore.ts');
  terminal.print(await runRestore(file, directory, sealKeyFile));
  return undefined;
};
