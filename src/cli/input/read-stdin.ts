import { text } from 'node:stream/consumers';
import { usageError } from '../cli-error.ts';

/** Reads standard input to its end. */
export async function readStdin(): Promise<string> {
  return await text(process.stdin);
}

/** Reads a secret from standard input: the first line, without the newline. */
export async function readSecretFromStdin(what: string): Promise<string> {
  const secret = (await readStdin()).split('\n')[0]?.replace(/\r$/, '') ?? '';
  if (secret === '') throw usageError(`standard input contains no ${what}`);
  return secret;
}
