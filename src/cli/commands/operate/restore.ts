import type { CommandRun } from '../../command-spec.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const { runRestore } = await import('../../../server/data/restore.ts');
  const directory = values.text('data-dir') ?? '';
  terminal.print(await runRestore(values.argument('file'), directory, values.text('seal-key-file')));
  return undefined;
};
