import type { Command } from 'commander';

export function addBackupCommand(program: Command): void {
  const command = program
    .command('backup')
    .description('write everything but the seal key to a new file, also while the server runs')
    .argument('<file>', 'the file to make; it must not exist')
    .option('--data-dir <directory>', 'the data directory of the server')
    .allowExcessArguments(false);
  command.action(async (file: string, options: { dataDir?: string }) => {
    const { backUp } = await import('../../server/back-up.ts');
    process.stdout.write(await backUp(file, options.dataDir));
  });
}
