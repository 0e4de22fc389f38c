import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { listAt, objectAt, textAt } from '../../lib/json-path.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-value.ts';
import { errorCode } from '../../lib/private-file.ts';
import { CliError, exitCodes } from '../cli-error.ts';

/** Members that name a file, and the member that holds what is in it. */
const clusterFiles = { 'certificate-authority': 'certificate-authority-data' };
const userFiles = { 'client-certificate': 'client-certificate-data', 'client-key': 'client-key-data' };

/**
 * One context of a kubeconfig with everything that it needs: the files that it names are read on this machine, as the
 * server must not read any of its own. Programs that make credentials cannot go along.
 */
export async function inlineContext(
  kubeconfig: JsonObject,
  file: string,
  wanted: string | undefined,
): Promise<JsonObject> {
  const name = wanted ?? textAt(kubeconfig, 'current-context');
  const context = objectAt(named(kubeconfig, 'contexts', name), 'context');
  if (context === undefined) throw noContext(kubeconfig, file, wanted);
  const cluster = objectAt(named(kubeconfig, 'clusters', textAt(context, 'cluster')), 'cluster');
  const user = objectAt(named(kubeconfig, 'users', textAt(context, 'user')), 'user');
  if (cluster === undefined) throw new CliError(`${file}: the cluster of the context ${name} is not in it`);
  if (user === undefined) throw new CliError(`${file}: the user of the context ${name} is not in it`);
  refusePrograms(user, name);
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

function noContext(kubeconfig: JsonObject, file: string, wanted: string | undefined): CliError {
  const names = listAt(kubeconfig, 'contexts').map((entry) => textAt(entry, 'name'));
  const there = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  const what = wanted === undefined ? 'no current context' : `no context ${wanted}`;
  return new CliError(`${file} has ${what}`, {
    exitCode: exitCodes.notFound,
    next: `${there}; name one with --context`,
  });
}

function refusePrograms(user: JsonObject, context: string): void {
  const program = ['exec', 'auth-provider'].find((member) => Object.hasOwn(user, member));
  if (program === undefined) return;
  throw new CliError(
    `the context ${context} gets its credentials from a program (${program}), which the server cannot run`,
    {
      next:
        'make a service account for it there, as in: kubectl create serviceaccount flotilla -n kube-system; ' +
        'kubectl create clusterrolebinding flotilla --clusterrole=cluster-admin --serviceaccount=kube-system:flotilla; ' +
        'kubectl create token flotilla -n kube-system --duration=8760h; then a context with that token',
    },
  );
}

async function inlined(
  entry: JsonObject,
  members: Readonly<Record<string, string>>,
  folder: string,
): Promise<JsonObject> {
  const made: JsonObject = { ...entry };
  for (const [reference, data] of Object.entries(members)) {
    const path = textAt(entry, reference);
    delete made[reference];
    // What stands inline counts, as it does for kubectl.
    if (path === '' || textAt(entry, data) !== '') continue;
    made[data] = (await readReferenced(path, folder)).toString('base64');
  }
  return made;
}

async function withToken(user: JsonObject, folder: string): Promise<JsonObject> {
  const { tokenFile, ...rest } = user;
  if (typeof tokenFile !== 'string' || textAt(rest, 'token') !== '') return rest;
  return { ...rest, token: (await readReferenced(tokenFile, folder)).toString('utf8').trim() };
}

/** Relative names are meant from where the kubeconfig lies. */
async function readReferenced(path: string, folder: string): Promise<Buffer> {
  const file = isAbsolute(path) ? path : join(folder, path);
  try {
    return await readFile(file);
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errorCode(error)})`;
    throw new CliError(`the file ${file} that the kubeconfig names ${why}`, { cause: error });
  }
}

function named(kubeconfig: JsonObject, list: string, name: string): JsonObject | undefined {
  const found = listAt(kubeconfig, list).find((entry) => textAt(entry, 'name') === name);
  return isJsonObject(found) ? found : undefined;
}
