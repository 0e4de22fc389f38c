import type { VirtualClusterInstance } from '../../../api/management/v1/virtual-cluster-instance.ts';
import { quarantineAnnotation, storageGroup, storageVersion } from '../../../api/naming.ts';
import { quarantinedReason } from '../../../api/quarantined-reason.ts';
import { StatusError } from '../../../api/status.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { getObject, requestObject } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { waitUntilReady } from '../../connection/wait-for-instance.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import { hostedVirtualClusters, virtualClusters } from '../../kinds.ts';

/**
 * Removes the quarantine annotation of the VirtualCluster object on the built-in cluster. An administrator can do the
 * same with kubectl.
 */
export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const { values, terminal, interrupted: signal } = call;
    const { project } = api.access;
    const name = values.argument('name');
    const instance = await getObject(api, virtualClusters, { project, signal }, name);
    const path = hostedPath(api, instance);
    if (!(await isQuarantined(api, { instance, path, signal }))) {
      terminal.print(`virtual cluster "${name}" is not quarantined\n`);
      return undefined;
    }
    await requestObject(api, hostedVirtualClusters, {
      method: 'PATCH',
      path,
      body: { metadata: { annotations: { [quarantineAnnotation]: null } } },
      type: 'application/merge-patch+json',
    });
    if (values.flag('wait')) {
      const wanted = {
        kind: virtualClusters,
        project,
        name,
        milliseconds: timeoutFromOptions(values),
        isQuarantineLifted: true,
      };
      await waitUntilReady(api, wanted, call);
    }
    terminal.print(`quarantine of virtual cluster "${name}" lifted\n`);
    return undefined;
  });

/** Returns the path of the VirtualCluster object of an instance, through the gateway to the instance's cluster. */
function hostedPath({ access }: ServerApi, { spec }: VirtualClusterInstance): string {
  const { cluster = '', namespace = '', virtualCluster = '' } = spec?.clusterRef ?? {};
  const virtualClustersPath = `apis/${storageGroup}/${storageVersion}/namespaces/${encodeURIComponent(namespace)}/virtualclusters`;
  return `/${access.apiPrefix}/cluster/${encodeURIComponent(cluster)}/${virtualClustersPath}/${encodeURIComponent(virtualCluster)}`;
}

interface HostedLookup {
  readonly instance: VirtualClusterInstance;
  readonly path: string;
  readonly signal: AbortSignal;
}

/**
 * True if the annotation marks a quarantine. Does not use the status of the instance, which shows no quarantine while
 * the virtual cluster sleeps. Virtual clusters on connected clusters have no VirtualCluster object.
 */
async function isQuarantined(api: ServerApi, { instance, path, signal }: HostedLookup): Promise<boolean> {
  try {
    const { metadata } = await requestObject(api, hostedVirtualClusters, { path, signal });
    return metadata.annotations?.[quarantineAnnotation] !== undefined;
  } catch (error) {
    if (!(error instanceof StatusError) || (error.code !== 403 && error.code !== 404)) throw error;
    if (error.code === 404 && instance.status?.reason !== quarantinedReason) return false;
    const { name } = instance.metadata;
    throw new CliError(`you are not allowed to lift the quarantine of virtual cluster "${name}"`, {
      exitCode: exitCodes.refused,
      next: 'ask an administrator of the server',
      cause: error,
    });
  }
}
