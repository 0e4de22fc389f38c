import type { CommandRun } from '../../command-spec.ts';
import { etcdFlags } from './etcd-settings.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const { defaultDataDir } = await import('../../../server/settings/flags.ts');
  const { runMigrate } = await import('../../../server/data/migrate.ts');
  const message = await runMigrate({
    from: values.text('from') ?? '',
    to: values.text('to') ?? '',
    dataDir: values.text('data-dir') ?? defaultDataDir,
    etcd: etcdFlags(values),
  });
  terminal.print(message);
  return undefined;
};
