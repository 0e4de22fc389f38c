import type { CommandRun } from '../../command-spec.ts';
import { readEtcdSettings } from './etcd-settings.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const { runBackup } = await import('../../../server/data/backup.ts');
  const etcd = await readEtcdSettings(values);
  terminal.print(await runBackup(values.argument('file'), values.text('data-dir'), etcd));
  return undefined;
};
