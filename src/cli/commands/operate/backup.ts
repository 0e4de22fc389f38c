import type { CommandRun } from '../../command-spec.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const { runBackup } = await import('../../../server/data/backup.ts');
  terminal.print(await runBackup(values.argument('file'), values.text('data-dir')));
  return undefined;
};
