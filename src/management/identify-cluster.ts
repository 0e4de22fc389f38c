import type { Kubeconfig } from '../api/kubeconfig.ts';
import { StatusError, timedOut } from '../api/status.ts';
import type { HostConnection } from '../hosts/kubernetes/host-connection.ts';
import { identityOf } from '../hosts/kubernetes/look-at-cluster.ts';
import type { Clock } from '../lib/clock.ts';
import { within } from '../lib/within.ts';

/** The cluster that a kubeconfig refers to, as far as it can be determined now. */
export interface Identified {
  /** The unique ID of the cluster; '' if it is not reachable or reports none. */
  readonly uid: string;
  /** The reason why the cluster is not reachable. */
  readonly obstacle?: string;
  /** The error in the kubeconfig itself. */
  readonly fault?: string;
}

export interface IdentifyOptions {
  connect(kubeconfig: Kubeconfig): HostConnection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The user who connects a cluster waits for this; a working cluster responds sooner. */
const timeoutMilliseconds = 3_000;

/** Reads the identity of the cluster that a kubeconfig refers to. */
export async function identifyCluster(kubeconfig: Kubeconfig, options: IdentifyOptions): Promise<Identified> {
  const { clock, signal } = options;
  let connection: HostConnection;
  try {
    connection = options.connect(kubeconfig);
  } catch (error) {
    if (error instanceof StatusError) return { uid: '', fault: error.message };
    throw error;
  }
  const late = () => timedOut(`no response within ${timeoutMilliseconds / 1000} seconds`);
  try {
    const uid = await within({ clock, milliseconds: timeoutMilliseconds, signal, late }, (ending) =>
      identityOf(connection, ending),
    );
    return { uid };
  } catch (error) {
    if (signal.aborted || !(error instanceof StatusError)) throw error;
    return { uid: '', obstacle: error.code === 401 ? 'the cluster rejected the credentials' : error.message };
  } finally {
    await connection.close();
  }
}
