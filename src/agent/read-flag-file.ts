import { readFile } from 'node:fs/promises';
import { describeError } from '../process/private-dir.ts';
import { StartError } from '../process/start-error.ts';
import type { AgentOptions } from './options.ts';
import { isProxyUrl } from './read-options.ts';

/** Reads the file that a flag names. Throws StartError if it cannot be read. */
export async function readFlagFile(path: string, flag: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    throw new StartError(`${flag}: cannot read ${path}: ${describeError(error)}`, { cause: error });
  });
}

/** Returns the URL of the HTTP proxy; `undefined` if the agent uses none. */
export async function readProxyUrl({
  proxyUrl,
  proxyUrlFile,
}: Pick<AgentOptions, 'proxyUrl' | 'proxyUrlFile'>): Promise<string | undefined> {
  if (proxyUrlFile === undefined) return proxyUrl;
  const text = (await readFlagFile(proxyUrlFile, '--proxy-url-file')).trim();
  // The text may contain a password, so the message does not quote it.
  if (!isProxyUrl(text)) {
    throw new StartError('--proxy-url-file: the file does not contain a URL such as http://user:password@host:port');
  }
  return text;
}
