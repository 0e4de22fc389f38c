import { text } from 'node:stream/consumers';
import { usageError } from '../cli-error.ts';

/** Everything that is piped in. */
export async function readStdin(): Promise<string> {
  return await text(process.stdin);
}

/** A secret that is piped in: its first line, without the newline. */
export async function readSecretFromStdin(what: string): Promise<string> {
  const secret = (await readStdin()).split('\n')[0]?.replace(/\r$/, '') ?? '';
  if (secret === '') throw usageError(`standard input holds no ${what}`);
  return secret;
}
