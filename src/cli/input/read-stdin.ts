import { text } from 'node:stream/consumers';
import { usageError } from '../cli-error.ts';

/** Reads standard input until its end. */
export async function readStdin(): Promise<string> {
  return await text(process.stdin);
}

/** Reads a secret from the first line of standard input. `what` names the secret in the error message. */
export async function readSecretFromStdin(what: string): Promise<string> {
  const secret = (await readStdin()).split('\n')[0]?.replace(/\r$/, '') ?? '';
  if (secret === '') throw usageError(`standard input contains no ${what}`);
  return secret;
}
