import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { errorCode, writePrivateFile } from '../../lib/private-file.ts';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import { withFileLock } from '../file-lock.ts';
import { readDocument } from '../input/read-parameters.ts';

/** The maximum time to wait for the lock. kubectl holds the lock only for milliseconds. */
const waitMilliseconds = 2_000;

/** Returns the kubeconfig to which kubectl writes: the first file in KUBECONFIG, or `~/.kube/config`. */
export function userKubeconfig(environment: Environment): string {
  const first = (environment.KUBECONFIG ?? '').split(delimiter).find((path) => path !== '');
  return first ?? join(environment.HOME ?? homedir(), '.kube', 'config');
}

export async function readKubeconfigFile(path: string): Promise<JsonObject | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new CliError(`cannot read ${path} (${errorCode(error)})`, { cause: error });
  }
  const { value } = readDocument(text, path);
  if (value === null) return {};
  if (isJsonObject(value)) return value;
  throw new CliError(`${path} is not a kubeconfig`);
}

/**
 * Changes a kubeconfig atomically, with the lock file that kubectl uses. `change` returns the new content, or
 * `undefined` to write nothing.
 */
export async function changeKubeconfig(
  path: string,
  change: (before: JsonObject) => JsonObject | undefined,
): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return await withFileLock(`${path}.lock`, { waitMilliseconds }, async () => {
    const changed = change((await readKubeconfigFile(path)) ?? {});
    if (changed === undefined) return false;
    await writePrivateFile(await linkTarget(path), yamlText(changed));
    return true;
  });
}

/** Returns the target of a symbolic link, so that a write replaces the target and not the link. */
async function linkTarget(path: string): Promise<string> {
  const { realpath } = await import('node:fs/promises');
  return await realpath(path).catch(() => path);
}
