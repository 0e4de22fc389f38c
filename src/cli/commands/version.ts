import { flagAt, type JsonObject, objectAt, textAt } from '@flotilla/json';
import type { Cluster } from '../../api/management/v1/cluster.ts';
import type { ClusterAgent } from '../../api/management/v1/cluster-agent.ts';
import { escapeControlCharacters } from '../../client/escape-controls.ts';
import { programVersion } from '../../lib/program-version.ts';
import type { CommandCall } from '../command-call.ts';
import type { CommandRun } from '../command-spec.ts';
import { listObjects } from '../connection/objects.ts';
import { findAccess, findServer } from '../connection/resolve-access.ts';
import { withServerConnection } from '../connection/server-api.ts';
import { describeFailure } from '../failure/describe-failure.ts';
import { clusters } from '../kinds.ts';
import { outputFormat } from '../output/output-format.ts';

/** The maximum time to wait for the version of the server. Any reachable server responds faster. */
const serverMilliseconds = 5_000;

/** The version of the server, or the reason why it is not known. */
type ServerVersion =
  | { readonly url: string; readonly version: string; readonly kubernetesVersion: string }
  | { readonly note: string };

/**
 * Prints the versions of this program, of the server and of the agents. A server that does not respond is not an error,
 * because bug reports and scripts need the version of this program most when the server does not respond.
 */
export const run: CommandRun = async (call) => {
  const { values, terminal } = call;
  const format = await outputFormat(values);
  const server = values.flag('client') ? undefined : await fetchServerVersion(call);
  const isKnown = server !== undefined && 'version' in server;
  const agents = isKnown ? await fetchAgents(call) : [];
  if (format.kind === 'objects') {
    const client: JsonObject = { version: programVersion, platform: `${process.platform}/${process.arch}` };
    terminal.print(format.print({ client, ...(isKnown ? { server: { ...server }, agents } : { ...server }) }));
    return undefined;
  }
  terminal.print(`flotilla ${programVersion}\n`);
  if (isKnown) terminal.print(`server ${server.version} (${server.url}, Kubernetes ${server.kubernetesVersion})\n`);
  else if (server !== undefined) terminal.printToStderr(`${server.note}\n`);
  for (const agent of agents) terminal.print(`${agentLine(agent)}\n`);
  return undefined;
};

async function fetchServerVersion(call: CommandCall): Promise<ServerVersion> {
  const deadline = AbortSignal.timeout(serverMilliseconds);
  try {
    const access = await findServer(call);
    if (access === undefined)
      return { note: 'server version unknown: not logged in (log in with: flotilla login URL)' };
    const signal = AbortSignal.any([call.interrupted, deadline]);
    const info = await withServerConnection(access, call, (api) => api.json({ path: '/version', signal }));
    // The server appends its own version to that of its Kubernetes API: v1.34.0+flotilla.0.1.0.
    const [kubernetesVersion = '', version] = textAt(info, 'gitVersion').split('+flotilla.');
    if (version === undefined) return { note: `server version unknown: ${access.url} is not a Flotilla server` };
    return { url: access.url, version, kubernetesVersion };
  } catch (error) {
    if (call.interrupted.aborted) throw error;
    const reason = deadline.aborted
      ? `no answer within ${serverMilliseconds / 1000} seconds`
      : describeFailure(error).text;
    return { note: `server version unknown: ${reason}` };
  }
}

/**
 * Returns the agents of the clusters that the caller may read. Returns an empty list without a credential or
 * permission, so the command can still print the versions of the program and of the server.
 */
async function fetchAgents(call: CommandCall): Promise<ListedAgent[]> {
  try {
    const access = await findAccess(call);
    if (access === undefined) return [];
    const signal = AbortSignal.any([call.interrupted, AbortSignal.timeout(serverMilliseconds)]);
    const { items } = await withServerConnection(access, call, (api) => listObjects(api, clusters, { signal }));
    return items.flatMap(agentsOf);
  } catch (error) {
    if (call.interrupted.aborted) throw error;
    return [];
  }
}

type ListedAgent = { readonly cluster: string; readonly version: string; readonly connected: boolean };

/** Returns the agents in the status of a cluster. An older server supports one agent per cluster, in `status.agent`. */
function agentsOf({ metadata: { name: cluster = '' }, status }: Cluster): ListedAgent[] {
  const { agents = [] } = status ?? {};
  const one = objectAt(status, 'agent');
  const listed: readonly Pick<ClusterAgent, 'version' | 'connected'>[] =
    agents.length > 0 || one === undefined
      ? agents
      : [{ version: textAt(one, 'version'), connected: flagAt(one, 'connected') }];
  return listed.flatMap(({ version = '', connected }) =>
    version === '' ? [] : [{ cluster, version, connected: connected === true }],
  );
}

function agentLine({ cluster, version, connected }: ListedAgent): string {
  const state = connected ? '' : ', not connected';
  return escapeControlCharacters(`agent ${version} (cluster ${cluster}${state})`);
}
