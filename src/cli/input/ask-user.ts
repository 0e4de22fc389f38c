import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CommandCall } from '../command-call.ts';

type Asking = Pick<CommandCall, 'terminal' | 'interrupted'>;

/** One line from whoever sits at the terminal. */
export async function askLine(question: string, call: Asking): Promise<string> {
  return await ask(question, call, process.stderr);
}

/** The same; nothing of what is typed is shown, as it is a password or a key. */
export async function askSecret(question: string, call: Asking): Promise<string> {
  const blind = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Only once the terminal shows nothing any more is it asked for.
  const answer = await ask('', call, blind, () => call.terminal.remark(question));
  call.terminal.remark('\n');
  return answer;
}

export async function askYesNo(question: string, call: Asking): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(`${question} [y/N] `, call)).trim());
}

/** Raw mode is left whatever happens: a terminal that shows nothing any more is the worst of errors. */
async function ask(
  question: string,
  { interrupted }: Asking,
  output: NodeJS.WritableStream,
  onReady: () => void = () => {},
): Promise<string> {
  interrupted.throwIfAborted();
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      // In raw mode Ctrl-C is a character; it is made the signal that it would have been.
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
