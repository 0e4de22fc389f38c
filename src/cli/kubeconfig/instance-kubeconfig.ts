import { realpath } from 'node:fs/promises';
import { isJsonObject, type JsonObject, textAt } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { CliError } from '../cli-error.ts';
import { objectPath, requestObject } from '../connection/objects.ts';
import type { ServerApi } from '../connection/server-api.ts';
import { readDocument } from '../input/read-parameters.ts';
import type { Via } from '../input/via-from-options.ts';
import { commandPath, type InstanceKind, managementApiVersion } from '../kinds.ts';

export interface KubeconfigRequest {
  readonly kind: InstanceKind;
  readonly project: string;
  readonly name: string;
  /** Lifetime of the credential in seconds. Optional; defaults to the lifetime that the server sets. */
  readonly ttl?: number | undefined;
  /** URL to write into the kubeconfig. Optional; defaults to the URL that the server returns. */
  readonly server?: string | undefined;
  /**
   * The connection to the instance. Optional; defaults to the direct endpoint of its cluster, or the gateway if there
   * is no direct endpoint.
   */
  readonly via?: Via | undefined;
  readonly signal: AbortSignal;
}

/**
 * Requests the subresource `kubeconfig` of an instance. Returns a kubeconfig whose token is for this instance.
 */
export async function instanceKubeconfig(api: ServerApi, request: KubeconfigRequest): Promise<JsonObject> {
  const { kind, project, name, ttl, server, via, signal } = request;
  const response = await requestObject(api, kind.kubeConfig, {
    method: 'POST',
    path: objectPath(api, kind, { project }, name, 'kubeconfig'),
    body: {
      apiVersion: managementApiVersion,
      kind: kind.kubeConfig.kind,
      spec: {
        ...(ttl === undefined ? {} : { certificateTTL: ttl }),
        ...(server === undefined ? {} : { server }),
        // Omit the default, because an older server does not know this field.
        ...(via === undefined || via === 'auto' ? {} : { via }),
      },
    },
    signal,
  });
  const { value } = readDocument(response.status?.kubeConfig ?? '', 'kubeconfig from the server');
  if (isJsonObject(value)) return value;
  throw new CliError('the server returned no kubeconfig');
}

/** Replaces the token in a kubeconfig by an exec plugin. kubectl then runs this program whenever it needs a token. */
export async function withExecPlugin(
  kubeconfig: JsonObject,
  { kind, project, name }: Pick<KubeconfigRequest, 'kind' | 'project' | 'name'>,
  context: string | undefined,
): Promise<JsonObject> {
  const users = kubeconfig.users;
  const user = Array.isArray(users) ? users[0] : undefined;
  const selection = ['--project', project, `--${kind.word}`, name];
  const exec = await execPlugin(selection, { context, command: commandPath(kind, 'connect') });
  return { ...kubeconfig, users: [{ name: textAt(user, 'name'), user: { exec } }] };
}

/**
 * Returns the exec plugin of a kubeconfig, which runs `flotilla token` with these options. `command` is the command of
 * this program that creates the kubeconfig again.
 */
export async function execPlugin(
  options: readonly string[],
  { context, command: again }: { readonly context: string | undefined; readonly command: string },
): Promise<JsonObject> {
  const { command, args } = await thisProgram();
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args: [
      ...args,
      ...['token', '--exec-credential', ...options],
      ...(context === undefined ? [] : ['--context', context]),
    ],
    interactiveMode: 'Never',
    provideClusterInfo: false,
    installHint: `flotilla has moved since this kubeconfig was created; run flotilla ${again} again`,
  };
}

/** Returns the command and the arguments with which kubectl can start this program. */
async function thisProgram(): Promise<{ command: string; args: string[] }> {
  const script = process.argv[1];
  if (script === undefined || script === '') throw new CliError('cannot determine the path of this program');
  return { command: process.execPath, args: [await realpath(script)] };
}

export function kubeconfigText(kubeconfig: JsonObject): string {
  return yamlText(kubeconfig);
}
