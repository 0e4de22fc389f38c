import { spawn } from 'node:child_process';
import { CliError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';

/**
 * Runs the installed helm program, after printing the command. The output of helm goes to standard error. Throws if
 * helm is missing or fails. If the user interrupts, waits until helm has ended, so that helm can record the state of
 * the release.
 */
export async function runHelm(
  args: readonly string[],
  { terminal, environment, interrupted }: CommandCall,
): Promise<void> {
  interrupted.throwIfAborted();
  terminal.printToStderr(`running: helm ${args.map(shellWord).join(' ')}\n`);
  const code = await new Promise<number | null>((resolve, reject) => {
    // File descriptor 2 is the standard error of this program.
    const child = spawn('helm', args, { stdio: ['ignore', 2, 2], env: { ...environment } });
    // In a terminal, helm receives Ctrl-C itself. Otherwise, send it SIGTERM.
    const end = () => void (process.stdin.isTTY === true ? undefined : child.kill('SIGTERM'));
    interrupted.addEventListener('abort', end, { once: true });
    child.once('error', (error) => {
      interrupted.removeEventListener('abort', end);
      reject(startError(error));
    });
    child.once('close', (status) => {
      interrupted.removeEventListener('abort', end);
      resolve(status);
    });
  });
  interrupted.throwIfAborted();
  if (code === 0) return;
  const how = code === null ? 'was killed' : `failed with exit code ${code}`;
  throw new CliError(`helm ${how}`, { next: 'its messages are above; correct the cause and run the command again' });
}

function startError(error: Error): CliError {
  const isMissing = 'code' in error && error.code === 'ENOENT';
  const message = isMissing ? 'program "helm" not found' : `cannot start helm (${error.message})`;
  const next = 'install Helm 3.14 or newer, or run the command without --run and the printed commands elsewhere';
  return new CliError(message, { next, cause: error });
}

/** Quotes a word for a shell. */
function shellWord(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
