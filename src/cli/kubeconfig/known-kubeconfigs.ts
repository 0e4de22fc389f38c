import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isJsonObject, type JsonValue, textsAt } from '@flotilla/json';
import { writePrivateFile } from '../../lib/private-file.ts';
import { configPath } from '../config/config-path.ts';
import type { Environment } from '../environment.ts';

/** Maximum number of remembered kubeconfigs, because a pipeline may use a new kubeconfig in each job. */
const maxPaths = 50;

function listPath(environment: Environment): string {
  return join(dirname(configPath(environment)), 'kubeconfigs.json');
}

/**
 * Returns the kubeconfigs to which this program has added contexts, the latest first. Returns an empty list if the
 * stored list cannot be read.
 */
export async function knownKubeconfigs(environment: Environment): Promise<readonly string[]> {
  const text = await readFile(listPath(environment), 'utf8').catch(() => '{}');
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? textsAt(value, 'paths') : [];
  } catch {
    return [];
  }
}

/**
 * Remembers a kubeconfig to which this program adds a context. A later `delete` then finds the context even if
 * KUBECONFIG names another file by that time.
 */
export async function rememberKubeconfig(path: string, environment: Environment): Promise<void> {
  const absolute = resolve(path);
  const known = await knownKubeconfigs(environment);
  if (known[0] === absolute) return;
  const paths = [absolute, ...known.filter((one) => one !== absolute)].slice(0, maxPaths);
  const file = listPath(environment);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writePrivateFile(file, `${JSON.stringify({ paths }, undefined, 2)}\n`);
}
