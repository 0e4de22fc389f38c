import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CommandCall } from '../command-call.ts';

type PromptCall = Pick<CommandCall, 'terminal' | 'interrupted'>;

/** Reads one line from the terminal. */
export async function promptLine(question: string, call: PromptCall): Promise<string> {
  return await prompt(question, call, process.stderr);
}

/** Reads a password or a key from the terminal without echoing it. */
export async function promptSecret(question: string, call: PromptCall): Promise<string> {
  const noEcho = new Writable({ write: (_chunk, _encoding, done) => done() });
  // The prompt appears only when echoing is off.
  const line = await prompt('', call, noEcho, () => call.terminal.printToStderr(question));
  call.terminal.printToStderr('\n');
  return line;
}

export async function promptYesNo(question: string, call: PromptCall): Promise<boolean> {
  return /^y(es)?$/i.test((await promptLine(`${question} [y/N] `, call)).trim());
}

/** Closes the reader in every case, because a terminal that stays in raw mode shows no input. */
async function prompt(
  question: string,
  { interrupted }: PromptCall,
  output: NodeJS.WritableStream,
  onReady: () => void = () => {},
): Promise<string> {
  interrupted.throwIfAborted();
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      // In raw mode Ctrl-C is a character; this converts it back to the signal.
      reader.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
      reader.once('close', () => resolve(''));
      reader.question(question, resolve);
      onReady();
    });
  } finally {
    reader.close();
    process.stdin.pause();
  }
}
