import { textAt } from '@flotilla/json';
import { usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { cachedToken, tokenExpiry } from '../../connection/cached-token.ts';
import { requestObject } from '../../connection/objects.ts';
import { resolveAccess } from '../../connection/resolve-access.ts';
import { type ServerApi, withServerConnection } from '../../connection/server-api.ts';
import { parseDuration } from '../../input/parse-duration.ts';
import { scopeFromOptions } from '../../input/scope-from-options.ts';
import { directTokens, managementApiVersion } from '../../kinds.ts';
import { outputSecret } from '../../output/output-secret.ts';

/**
 * Prints a token for direct endpoints or for a virtual cluster. With `--exec-credential` it prints an ExecCredential,
 * which kubectl requests for each of its commands.
 */
export const run: CommandRun = async (call) => {
  const { values } = call;
  const [forKubectl, direct] = [values.flag('exec-credential'), values.flag('direct')];
  const name = values.text('virtual-cluster');
  if (direct && name !== undefined) throw usageError('--direct and --virtual-cluster cannot be combined');
  if (!forKubectl && !direct && name === undefined) {
    throw usageError('select a token with --direct, --virtual-cluster <name> or --exec-credential');
  }
  const access = await resolveAccess(call);
  const make = () =>
    withServerConnection(access, call, (api) =>
      direct ? directToken(api, call) : gatewayToken(api, name ?? '', call),
    );
  if (!forKubectl) {
    await outputSecret(await make(), call);
    return undefined;
  }
  // The management API accepts the access key itself, so no token is requested.
  const isKey = !direct && name === undefined;
  const wanted = { direct, name, project: access.project, ttl: values.text('ttl'), scope: scopeFromOptions(values) };
  const token = isKey ? access.accessKey : await cachedToken(call.environment, access, wanted, make);
  call.terminal.print(`${JSON.stringify(execCredential(token, call))}\n`);
  return undefined;
};

async function directToken(api: ServerApi, call: CommandCall): Promise<string> {
  const ttl = call.values.text('ttl');
  const scope = scopeFromOptions(call.values);
  const response = await requestObject(api, directTokens, {
    method: 'POST',
    path: api.managementPath('directclusterendpointtokens'),
    body: {
      apiVersion: managementApiVersion,
      kind: directTokens.kind,
      spec: {
        ...(ttl === undefined ? {} : { ttl: parseDuration(ttl, 'ttl') }),
        ...(scope === undefined ? {} : { scope }),
      },
    },
    signal: call.interrupted,
  });
  return response.status?.token ?? '';
}

async function gatewayToken(api: ServerApi, name: string, call: CommandCall): Promise<string> {
  const { instanceKubeconfig } = await import('../../kubeconfig/instance-kubeconfig.ts');
  const { entryOf } = await import('../../kubeconfig/merge-kubeconfig.ts');
  const given = call.values.text('ttl');
  const ttl = given === undefined ? undefined : parseDuration(given, 'ttl');
  const { project } = api.access;
  return textAt(entryOf(await instanceKubeconfig(api, { project, name, ttl, signal: call.interrupted })).user, 'token');
}

/** Builds the ExecCredential object in the API version that kubectl requests. */
function execCredential(token: string, { environment }: CommandCall): object {
  const end = tokenExpiry(token);
  return {
    apiVersion: /client\.authentication\.k8s\.io\/v1beta1/.exec(environment.KUBERNETES_EXEC_INFO ?? '')
      ? 'client.authentication.k8s.io/v1beta1'
      : 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token, ...(end === undefined ? {} : { expirationTimestamp: new Date(end).toISOString() }) },
  };
}
