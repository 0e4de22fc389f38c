import { realpath } from 'node:fs/promises';
import { textAt } from '../../lib/json-path.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-value.ts';
import { yamlText } from '../../lib/yaml-text.ts';
import { CliError } from '../cli-error.ts';
import { objectPath } from '../connection/objects.ts';
import type { ServerApi } from '../connection/server-api.ts';
import { readDocument } from '../input/read-parameters.ts';
import { managementApiVersion, virtualClusters } from '../kinds.ts';

export interface KubeconfigRequest {
  readonly project: string;
  readonly name: string;
  /** Seconds that the credential in it lasts; undefined: as long as the server gives. */
  readonly ttl?: number | undefined;
  /** Another address of the server than the one it gives itself. */
  readonly server?: string | undefined;
  readonly signal: AbortSignal;
}

/** What the subresource `kubeconfig` answers: a kubeconfig with a token for this virtual cluster and nothing else. */
export async function instanceKubeconfig(api: ServerApi, request: KubeconfigRequest): Promise<JsonObject> {
  const { project, name, ttl, server, signal } = request;
  const answer = await api.json({
    method: 'POST',
    path: objectPath(api, virtualClusters, { project }, name, 'kubeconfig'),
    body: {
      apiVersion: managementApiVersion,
      kind: 'VirtualClusterInstanceKubeConfig',
      spec: {
        ...(ttl === undefined ? {} : { certificateTTL: ttl }),
        ...(server === undefined ? {} : { server }),
      },
    },
    signal,
  });
  const { value } = readDocument(textAt(answer, 'status', 'kubeConfig'), 'the kubeconfig of the server');
  if (isJsonObject(value)) return value;
  throw new CliError('the server gave no kubeconfig');
}

/** The same without a secret in it: kubectl asks this program for a token whenever it needs one. */
export async function withExecPlugin(
  kubeconfig: JsonObject,
  { project, name }: Pick<KubeconfigRequest, 'project' | 'name'>,
  context: string | undefined,
): Promise<JsonObject> {
  const users = kubeconfig.users;
  const user = Array.isArray(users) ? users[0] : undefined;
  const { command, args } = await thisProgram();
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args: [
      ...args,
      ...['token', '--exec-credential', '--project', project, '--virtual-cluster', name],
      ...(context === undefined ? [] : ['--context', context]),
    ],
    interactiveMode: 'Never',
    provideClusterInfo: false,
    installHint: 'flotilla is not where it was when this kubeconfig was made; run flotilla connect again',
  };
  return { ...kubeconfig, users: [{ name: textAt(user, 'name'), user: { exec } }] };
}

/** How kubectl starts this very program, wherever it is installed. */
async function thisProgram(): Promise<{ command: string; args: string[] }> {
  const script = process.argv[1];
  if (script === undefined || script === '') throw new CliError('this program does not know where it is');
  return { command: process.execPath, args: [await realpath(script)] };
}

export function kubeconfigText(kubeconfig: JsonObject): string {
  return yamlText(kubeconfig);
}
