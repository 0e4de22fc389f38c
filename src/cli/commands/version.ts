import { programVersion } from '../../lib/program-version.ts';
import type { CommandRun } from '../command-spec.ts';

export const run: CommandRun = async ({ terminal }) => {
  terminal.print(`flotilla ${programVersion}\n`);
  return undefined;
};
