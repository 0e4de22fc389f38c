import type { CommandRun } from '../command-spec.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const { backUp } = await import('../../server/back-up.ts');
  terminal.print(await backUp(values.argument('file'), values.text('data-dir')));
  return undefined;
};
