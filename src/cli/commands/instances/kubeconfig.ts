import type { JsonObject } from '@flotilla/json';
import { projectNamespace } from '../../../api/naming.ts';
import { usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { findAccess } from '../../connection/resolve-access.ts';
import { type ServerApi, withServerConnection } from '../../connection/server-api.ts';
import { parseDuration } from '../../input/parse-duration.ts';
import { outputSecret } from '../../output/output-secret.ts';

/**
 * Prints the kubeconfig of a virtual cluster. Requests it from the server of the login. If there is no login, requests
 * it as the administrator, with the credentials in the data directory of a server on this machine.
 */
export const run: CommandRun = async (call) => {
  const { values } = call;
  const name = values.optionalArgument('name');
  const dataDir = values.text('data-dir');
  const access = dataDir === undefined ? await findAccess(call) : undefined;
  if (access !== undefined) {
    const text = await withServerConnection(access, call, (api) => textFor(api, name, call));
    await outputSecret(text, call);
    return undefined;
  }
  if (name === undefined) throw usageError('pass the name of a virtual cluster; --management requires a login');
  const { instanceKubeconfig } = await import('../../../server/instance-kubeconfig.ts');
  const project = values.text('project') ?? (call.environment.FLOTILLA_PROJECT || 'default');
  await outputSecret(await instanceKubeconfig({ instance: name, project, dataDir }), call);
  return undefined;
};

async function textFor(api: ServerApi, name: string | undefined, call: CommandCall): Promise<string> {
  const { values } = call;
  if (values.flag('management') === (name !== undefined)) {
    throw usageError('pass the name of a virtual cluster, or --management for the management API');
  }
  const { instanceKubeconfig, kubeconfigText, withExecPlugin } = await import(
    '../../kubeconfig/instance-kubeconfig.ts'
  );
  if (name === undefined) return kubeconfigText(managementKubeconfig(api));
  const ttl = values.text('ttl') === undefined ? undefined : parseDuration(values.text('ttl') ?? '', 'ttl');
  const { project, context } = api.access;
  const request = { project, name, ttl, server: values.text('server'), signal: call.interrupted };
  const kubeconfig = await instanceKubeconfig(api, request);
  return kubeconfigText(values.flag('exec') ? await withExecPlugin(kubeconfig, request, context) : kubeconfig);
}

/** Builds a kubeconfig for the management API, with the access key of the login. */
function managementKubeconfig({ access }: ServerApi): JsonObject {
  const data =
    access.authority === undefined
      ? {}
      : { 'certificate-authority-data': Buffer.from(access.authority).toString('base64') };
  const name = 'management';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `${access.url}/${access.apiPrefix}/management`, ...data } }],
    users: [{ name, user: { token: access.accessKey } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: projectNamespace(access.project) } }],
    'current-context': name,
  };
}
