import type { CommandRun } from '../command-spec.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const { restore } = await import('../../server/restore.ts');
  const directory = values.text('data-dir') ?? '';
  terminal.print(await restore(values.argument('file'), directory, values.text('seal-key-file')));
  return undefined;
};
