import { textAt } from '@flotilla/json';
import { StatusError } from '../../../api/status.ts';
import { CliError, exitCodes, usageError } from '../../cli-error.ts';
import type { CallValues, CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { cachedToken, tokenExpiry } from '../../connection/cached-token.ts';
import { requestObject } from '../../connection/objects.ts';
import { rejectUnknownNames } from '../../connection/reject-unknown-names.ts';
import { resolveAccess, type ServerAccess } from '../../connection/resolve-access.ts';
import { type ServerApi, withServerConnection } from '../../connection/server-api.ts';
import { parseDuration } from '../../input/parse-duration.ts';
import { namesInScope, scopeFromOptions } from '../../input/scope-from-options.ts';
import { directTokens, type InstanceKind, managementApiVersion, spaces, virtualClusters } from '../../kinds.ts';
import { outputSecret } from '../../output/output-secret.ts';

/**
 * Prints a token: for direct endpoints, for a virtual cluster or for a space. With `--exec-credential`, prints the
 * token in an ExecCredential object, which kubectl requests for each kubectl command.
 */
export const run: CommandRun = async (call) => {
  const { values } = call;
  const [forKubectl, direct] = [values.flag('exec-credential'), values.flag('direct')];
  const instance = instanceFrom(values);
  if (direct && instance !== undefined) {
    throw usageError(`--direct and --${instance.kind.word} cannot be combined`);
  }
  if (!forKubectl && !direct && instance === undefined) {
    throw usageError('select a token with --direct, --virtual-cluster <name>, --space <name> or --exec-credential');
  }
  const access = await resolveAccess(call);
  if (access.expires !== undefined && Date.parse(access.expires) <= Date.now()) throw endedLogin(access);
  const make = () =>
    withServerConnection(access, call, (api) =>
      instance === undefined ? directToken(api, call) : gatewayToken(api, instance, call),
    ).catch((error: unknown) => {
      throw error instanceof StatusError && error.code === 401 ? endedLogin(access, error) : error;
    });
  if (!forKubectl) {
    await outputSecret(await make(), call);
    return undefined;
  }
  // The management API accepts the access key itself, so no token is requested.
  const isKey = !direct && instance === undefined;
  const wanted = {
    direct,
    name: instance?.name,
    kind: instance?.kind.word,
    project: access.project,
    ttl: values.text('ttl'),
    scope: scopeFromOptions(values),
  };
  const token = isKey ? access.accessKey : await cachedToken(call.environment, access, wanted, make);
  call.terminal.print(`${JSON.stringify(execCredential(token, access, call))}\n`);
  return undefined;
};

/**
 * Returns the error for a login that has ended. kubectl shows the error to the user, so the error contains the whole
 * command that the user must run.
 */
function endedLogin({ url, context }: ServerAccess, cause?: unknown): CliError {
  if (context === undefined)
    return new CliError(`${url} rejected the access key in FLOTILLA_ACCESS_KEY`, {
      exitCode: exitCodes.refused,
      cause,
    });
  const name = context === new URL(url).host ? '' : ` --name ${context}`;
  return new CliError(`the login at ${url} has ended`, {
    exitCode: exitCodes.refused,
    next: `log in again: flotilla login ${url}${name}`,
    cause,
  });
}

async function directToken(api: ServerApi, call: CommandCall): Promise<string> {
  const ttl = call.values.text('ttl');
  const scope = scopeFromOptions(call.values);
  await rejectUnknownNames(api, namesInScope(call.values), call);
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

interface NamedInstance {
  readonly kind: InstanceKind;
  readonly name: string;
}

function instanceFrom(values: CallValues): NamedInstance | undefined {
  const given = [virtualClusters, spaces].flatMap((kind) => {
    const name = values.text(kind.word);
    return name === undefined ? [] : [{ kind, name }];
  });
  if (given.length > 1) throw usageError('--virtual-cluster and --space cannot be combined');
  return given[0];
}

async function gatewayToken(api: ServerApi, instance: NamedInstance, call: CommandCall): Promise<string> {
  const { instanceKubeconfig } = await import('../../kubeconfig/instance-kubeconfig.ts');
  const { entryOf } = await import('../../kubeconfig/merge-kubeconfig.ts');
  const given = call.values.text('ttl');
  const ttl = given === undefined ? undefined : parseDuration(given, 'ttl');
  const { project } = api.access;
  const request = { ...instance, project, ttl, signal: call.interrupted };
  return textAt(entryOf(await instanceKubeconfig(api, request)).user, 'token');
}

/** Builds the ExecCredential object in the API version that kubectl requests. */
function execCredential(token: string, { expires }: ServerAccess, { environment }: CommandCall): object {
  const end = tokenExpiry(token) ?? (expires === undefined ? undefined : Date.parse(expires));
  return {
    apiVersion: /client\.authentication\.k8s\.io\/v1beta1/.exec(environment.KUBERNETES_EXEC_INFO ?? '')
      ? 'client.authentication.k8s.io/v1beta1'
      : 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token, ...(end === undefined ? {} : { expirationTimestamp: new Date(end).toISOString() }) },
  };
}
