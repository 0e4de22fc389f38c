import type { Command } from 'commander';

export function addRestoreCommand(program: Command): void {
  const command = program
    .command('restore')
    .description('make a data directory from a backup')
    .argument('<file>', 'a file that flotilla backup wrote')
    .requiredOption('--data-dir <directory>', 'the directory to make; it must be empty or absent')
    .option('--seal-key-file <file>', 'the seal key of the installation that was backed up; copied to seal.key')
    .allowExcessArguments(false);
  command.action(async (file: string, options: { dataDir: string; sealKeyFile?: string }) => {
    const { restore } = await import('../../server/restore.ts');
    process.stdout.write(await restore(file, options.dataDir, options.sealKeyFile));
  });
}
