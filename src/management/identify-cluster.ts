import type { Kubeconfig } from '../api/kubeconfig.ts';
import { StatusError, timedOut } from '../api/status.ts';
import type { HostConnection } from '../hosts/kubernetes/host-connection.ts';
import { identityOf } from '../hosts/kubernetes/look-at-cluster.ts';
import type { Clock } from '../lib/clock.ts';
import { within } from '../lib/within.ts';

/** What a kubeconfig leads to, as far as that can be told now. */
export interface Identified {
  /** Tells the cluster from every other; '': it could not be asked, or did not say. */
  readonly uid: string;
  /** Why it could not be asked. */
  readonly obstacle?: string;
  /** What is wrong with the kubeconfig itself. */
  readonly fault?: string;
}

export interface IdentifyOptions {
  connect(kubeconfig: Kubeconfig): HostConnection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Whoever connects a cluster waits for this; one that answers at all answers sooner. */
const patienceMilliseconds = 3_000;

/** Asks the cluster at the other end of a kubeconfig who it is. */
export async function identifyCluster(kubeconfig: Kubeconfig, options: IdentifyOptions): Promise<Identified> {
  const { clock, signal } = options;
  let connection: HostConnection;
  try {
    connection = options.connect(kubeconfig);
  } catch (error) {
    if (error instanceof StatusError) return { uid: '', fault: error.message };
    throw error;
  }
  const late = () => timedOut(`it did not answer within ${patienceMilliseconds / 1000} seconds`);
  try {
    const uid = await within({ clock, milliseconds: patienceMilliseconds, signal, late }, (ending) =>
      identityOf(connection, ending),
    );
    return { uid };
  } catch (error) {
    if (signal.aborted || !(error instanceof StatusError)) throw error;
    return { uid: '', obstacle: error.code === 401 ? 'it does not know these credentials' : error.message };
  } finally {
    await connection.close();
  }
}
