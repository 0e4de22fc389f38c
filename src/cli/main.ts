import { Command, CommanderError } from 'commander';
import { programVersion } from '../lib/program-version.ts';
import { addBackupCommand } from './commands/backup.ts';
import { addKubeconfigCommand } from './commands/kubeconfig.ts';
import { addRestoreCommand } from './commands/restore.ts';
import { addRotateSigningKeyCommand } from './commands/rotate-signing-key.ts';
import { addStartCommand } from './commands/start.ts';
import { addVersionCommand } from './commands/version.ts';

/** A command line that cannot be understood, as other programs say it. */
const usageError = 2;

/** Runs one command and sets the exit code. A fault the user can mend is one line on standard error. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('flotilla')
    .description('A management API for virtual Kubernetes clusters')
    .version(programVersion, '--version', 'print the version')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`flotilla: ${text.replace(/^error: /, '')}`) })
    .helpCommand(true);
  await addStartCommand(program);
  addKubeconfigCommand(program);
  addBackupCommand(program);
  addRestoreCommand(program);
  addRotateSigningKeyCommand(program);
  addVersionCommand(program);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : usageError;
    } else {
      process.stderr.write(`flotilla: ${describe(error)}\n`);
      process.exitCode = 1;
    }
  }
}

/** Faults that the user can mend are told in one line; anything else is ours and comes with its stack. */
const mendable: ReadonlySet<string> = new Set(['StartError', 'StoreError', 'SealError', 'BackupError']);

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (mendable.has(error.name)) return error.message.replaceAll(/\s+/g, ' ').trim();
  return error.stack ?? error.message;
}
