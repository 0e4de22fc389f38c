import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from '@flotilla/json';
import { errorCode } from '../../lib/private-file.ts';
import { CliError, exitCodes } from '../cli-error.ts';

/** For each kubeconfig field that names a file, the field that contains the data of such a file inline. */
const clusterFiles = { 'certificate-authority': 'certificate-authority-data' };
const userFiles = { 'client-certificate': 'client-certificate-data', 'client-key': 'client-key-data' };

/**
 * Extracts one context of a kubeconfig with its cluster and user. Replaces each file name in the cluster and user by
 * the contents of the file on this machine. Otherwise the server would read files on its own machine. Rejects a user
 * whose credentials come from a program (`exec` or `auth-provider`).
 */
export async function inlineContext(
  kubeconfig: JsonObject,
  file: string,
  wanted: string | undefined,
): Promise<JsonObject> {
  const name = wanted ?? textAt(kubeconfig, 'current-context');
  const context = objectAt(named(kubeconfig, 'contexts', name), 'context');
  if (context === undefined) throw contextNotFound(kubeconfig, file, wanted);
  const cluster = objectAt(named(kubeconfig, 'clusters', textAt(context, 'cluster')), 'cluster');
  const user = objectAt(named(kubeconfig, 'users', textAt(context, 'user')), 'user');
  if (cluster === undefined) throw new CliError(`${file}: the cluster of context "${name}" is missing`);
  if (user === undefined) throw new CliError(`${file}: the user of context "${name}" is missing`);
  rejectPrograms(user, name);
  const folder = dirname(file);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: await inlined(cluster, clusterFiles, folder) }],
    users: [{ name, user: await withToken(await inlined(user, userFiles, folder), folder) }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

function contextNotFound(kubeconfig: JsonObject, file: string, wanted: string | undefined): CliError {
  const names = listAt(kubeconfig, 'contexts').map((entry) => textAt(entry, 'name'));
  const message = wanted === undefined ? `${file} has no current context` : `context "${wanted}" not found in ${file}`;
  const next =
    names.length === 0 ? 'the file has no contexts' : `available: ${names.join(', ')}; select one with --context`;
  return new CliError(message, { exitCode: exitCodes.notFound, next });
}

function rejectPrograms(user: JsonObject, context: string): void {
  const program = ['exec', 'auth-provider'].find((member) => Object.hasOwn(user, member));
  if (program === undefined) return;
  throw new CliError(
    `context "${context}" gets its credentials from a program (${program}), which the server cannot run`,
    {
      next:
        'create a service account in that cluster instead: kubectl create serviceaccount flotilla -n kube-system; ' +
        'kubectl create clusterrolebinding flotilla --clusterrole=cluster-admin --serviceaccount=kube-system:flotilla; ' +
        'kubectl create token flotilla -n kube-system --duration=8760h; then use a context with that token',
    },
  );
}

async function inlined(
  entry: JsonObject,
  members: Readonly<Record<string, string>>,
  folder: string,
): Promise<JsonObject> {
  const result: JsonObject = { ...entry };
  for (const [reference, data] of Object.entries(members)) {
    const path = textAt(entry, reference);
    delete result[reference];
    // An inline value takes precedence over a file, as in kubectl.
    if (path === '' || textAt(entry, data) !== '') continue;
    result[data] = (await readReferenced(path, folder)).toString('base64');
  }
  return result;
}

async function withToken(user: JsonObject, folder: string): Promise<JsonObject> {
  const { tokenFile, ...rest } = user;
  if (typeof tokenFile !== 'string' || textAt(rest, 'token') !== '') return rest;
  return { ...rest, token: (await readReferenced(tokenFile, folder)).toString('utf8').trim() };
}

/** Reads a file that the kubeconfig names. A relative path is relative to the directory of the kubeconfig. */
async function readReferenced(path: string, folder: string): Promise<Buffer> {
  const file = isAbsolute(path) ? path : join(folder, path);
  try {
    return await readFile(file);
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errorCode(error)})`;
    throw new CliError(`file ${file} referenced by the kubeconfig ${why}`, { cause: error });
  }
}

function named(kubeconfig: JsonObject, list: string, name: string): JsonObject | undefined {
  const found = listAt(kubeconfig, list).find((entry) => textAt(entry, 'name') === name);
  return isJsonObject(found) ? found : undefined;
}
