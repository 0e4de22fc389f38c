import type { Command } from 'commander';
import { programVersion } from '../../lib/program-version.ts';

export function addVersionCommand(program: Command): void {
  program
    .command('version')
    .description('print the version of this program')
    .allowExcessArguments(false)
    .action(() => {
      process.stdout.write(`flotilla ${programVersion}\n`);
    });
}
