import type { Kubeconfig } from '../api/kubeconfig.ts';
import { StatusError, timedOut } from '../api/status.ts';
import { clusterUidOf } from '../hosts/kubernetes/observe/probe-cluster.ts';
import type { HostConnection } from '../hosts/kubernetes/reach/host-connection.ts';
import { NoResponseError } from '../hosts/kubernetes/reach/no-response.ts';
import type { Clock } from '../lib/clock.ts';
import { withTimeout } from '../lib/with-timeout.ts';

/** The result of identifying the cluster that a kubeconfig refers to. */
export interface IdentifiedCluster {
  /** The unique ID of the cluster. '' if the cluster is not reachable or reports no ID. */
  readonly uid: string;
  /** The reason why the cluster is not reachable. Absent if it is reachable. */
  readonly unreachableReason?: string;
  /** The error in the kubeconfig itself. Absent if there is none. */
  readonly kubeconfigError?: string;
}

export interface IdentifyClusterOptions {
  connect(kubeconfig: Kubeconfig): HostConnection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Timeout for reading the identity of a cluster. It is short, because a user waits for the result. A working cluster
 * responds sooner.
 */
const timeoutMilliseconds = 3_000;

/** Reads the unique ID of the cluster that a kubeconfig refers to. */
export async function identifyCluster(
  kubeconfig: Kubeconfig,
  options: IdentifyClusterOptions,
): Promise<IdentifiedCluster> {
  const { clock, signal } = options;
  let connection: HostConnection;
  try {
    connection = options.connect(kubeconfig);
  } catch (error) {
    if (error instanceof StatusError) return { uid: '', kubeconfigError: error.message };
    throw error;
  }
  const late = () => timedOut(`no response within ${timeoutMilliseconds / 1000} seconds`);
  try {
    const uid = await withTimeout({ clock, milliseconds: timeoutMilliseconds, signal, timeoutError: late }, (ending) =>
      clusterUidOf(connection, ending),
    );
    return { uid };
  } catch (error) {
    if (signal.aborted || !(error instanceof StatusError)) throw error;
    if (error instanceof NoResponseError && error.why === 'ServerDenied')
      return { uid: '', kubeconfigError: error.message };
    return { uid: '', unreachableReason: error.code === 401 ? 'the cluster rejected the credentials' : error.message };
  } finally {
    await connection.close();
  }
}
