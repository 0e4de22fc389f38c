import type { Command } from 'commander';

export function addRotateSigningKeyCommand(program: Command): void {
  const command = program
    .command('rotate-signing-key')
    .description('sign tokens with a new key from now on, also while the server runs')
    .option('--data-dir <directory>', 'the data directory of the server')
    .option('--revoke', 'end the tokens of all older keys at once, for a key that somebody else may have')
    .allowExcessArguments(false);
  command.action(async (options: { dataDir?: string; revoke?: boolean }) => {
    const { rotateSigningKey } = await import('../../server/rotate-signing-key.ts');
    process.stdout.write(await rotateSigningKey(options));
  });
}
