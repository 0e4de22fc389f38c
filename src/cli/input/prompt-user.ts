import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CommandCall } from '../command-call.ts';

type PromptCall = Pick<CommandCall, 'terminal' | 'interrupted'>;

/** Prompts the user and returns the line that the user enters. */
export async function promptLine(question: string, call: PromptCall): Promise<string> {
  return await prompt(question, call, process.stderr);
}

/** Prompts for a password or an access key and returns it. The input is not echoed. */
export async function promptSecret(question: string, call: PromptCall): Promise<string> {
  const noEcho = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Print the question only after echo is off. Otherwise, input that the user types early would be visible.
  const line = await prompt('', call, noEcho, () => call.terminal.printToStderr(question));
  call.terminal.printToStderr('\n');
  return line;
}

export async function promptYesNo(question: string, call: PromptCall): Promise<boolean> {
  return /^y(es)?$/i.test((await promptLine(`${question} [y/N] `, call)).trim());
}

/** Prompts the user. Always closes the reader, because a terminal that stays in raw mode does not echo input. */
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
      // In raw mode the terminal sends Ctrl-C as a character, not as a signal. This handler sends the signal.
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
