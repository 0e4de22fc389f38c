import { usageError } from '../cli-error.ts';
import type { CommandRun } from '../command-spec.ts';
import { shellScripts, shells } from '../completion/shell-scripts.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const shell = shells.find((one) => one === values.argument('shell'));
  if (shell === undefined)
    throw usageError(`no completion for "${values.argument('shell')}"; use ${shells.join(', ')}`);
  terminal.print(shellScripts[shell]);
  return undefined;
};
