import type { JsonObject } from '@flotilla/json';
import { projectNamespace } from '../../../api/naming.ts';
import { usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { findAccess, resolveAccess, type ServerAccess } from '../../connection/resolve-access.ts';
import { type ServerApi, withServerConnection } from '../../connection/server-api.ts';
import { parseDuration } from '../../input/parse-duration.ts';
import { viaFromOptions } from '../../input/via-from-options.ts';
import { type InstanceKind, virtualClusters } from '../../kinds.ts';
import { outputSecret } from '../../output/output-secret.ts';

/**
 * Returns the command that prints the kubeconfig of an instance. If there is a login, the command requests the
 * kubeconfig from the server of the login. Without a login, the command acts as the administrator of a server on this
 * machine, with the credentials in its data directory, and supports only virtual clusters.
 */
export function kubeconfigCommand(kind: InstanceKind): CommandRun {
  return async (call) => {
    const { values } = call;
    const name = values.optionalArgument('name');
    const dataDir = values.text('data-dir');
    const access = await accessOf(kind, call);
    if (access !== undefined) {
      const text = await withServerConnection(access, call, (api) => textFor(api, kind, name, call));
      await outputSecret(text, call);
      return undefined;
    }
    if (name === undefined) throw usageError('pass the name of a virtual cluster; --management requires a login');
    const { instanceKubeconfig } = await import('../../../server/instance-kubeconfig.ts');
    const project = values.text('project') ?? (call.environment.FLOTILLA_PROJECT || 'default');
    await outputSecret(await instanceKubeconfig({ instance: name, project, dataDir }), call);
    return undefined;
  };
}

/**
 * Returns the access from the login; `undefined` to use the data directory of a server, which is supported only for
 * virtual clusters.
 */
async function accessOf(kind: InstanceKind, call: CommandCall): Promise<ServerAccess | undefined> {
  if (kind !== virtualClusters) return await resolveAccess(call);
  return call.values.text('data-dir') === undefined ? await findAccess(call) : undefined;
}

async function textFor(
  api: ServerApi,
  kind: InstanceKind,
  name: string | undefined,
  call: CommandCall,
): Promise<string> {
  const { values } = call;
  if (values.flag('management') === (name !== undefined)) {
    throw usageError('pass the name of a virtual cluster, or --management for the management API');
  }
  const { execPlugin, instanceKubeconfig, kubeconfigText, withExecPlugin } = await import(
    '../../kubeconfig/instance-kubeconfig.ts'
  );
  if (name === undefined) {
    const { accessKey, context, isRenewed } = api.access;
    // A renewal replaces the access key of the login, so a kubeconfig must not contain the key.
    const usesPlugin = values.flag('exec') || isRenewed === true;
    const plugin = { context, command: 'kubeconfig --management' };
    return kubeconfigText(
      managementKubeconfig(api, usesPlugin ? { exec: await execPlugin([], plugin) } : { token: accessKey }),
    );
  }
  const ttl = values.text('ttl') === undefined ? undefined : parseDuration(values.text('ttl') ?? '', 'ttl');
  const { project, context } = api.access;
  const via = viaFromOptions(values);
  const request = { kind, project, name, ttl, server: values.text('server'), via, signal: call.interrupted };
  const kubeconfig = await instanceKubeconfig(api, request);
  return kubeconfigText(values.flag('exec') ? await withExecPlugin(kubeconfig, request, context) : kubeconfig);
}

/** Builds a kubeconfig for the management API with this credential. */
function managementKubeconfig({ access }: ServerApi, user: JsonObject): JsonObject {
  const data =
    access.authority === undefined
      ? {}
      : { 'certificate-authority-data': Buffer.from(access.authority).toString('base64') };
  const name = 'management';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `${access.url}/${access.apiPrefix}/management`, ...data } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: projectNamespace(access.project) } }],
    'current-context': name,
  };
}
