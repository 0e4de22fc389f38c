import { textAt } from '@flotilla/json';
import { StatusError, serviceUnavailable } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ClusterApi } from '../../host.ts';
import { createVirtualClusterClient } from '../../virtual-cluster-client.ts';

/** The Kubernetes version that a virtual cluster reports, or the reason why the probe failed. */
export type VirtualClusterProbe =
  | { readonly kubernetesVersion: string }
  | { readonly reason: string; readonly message: string };

/**
 * The timeout of a probe. A ready virtual cluster responds in milliseconds; a new connection takes some round trips.
 */
const timeoutMs = 5_000;

/**
 * Checks that the API of a virtual cluster responds. The API may be unreachable for this server even if its pod is
 * ready.
 */
export async function probeVirtualCluster(
  api: ClusterApi,
  clock: Clock,
  signal: AbortSignal,
): Promise<VirtualClusterProbe> {
  const timeout = new AbortController();
  const timeoutMessage = `it did not respond within ${timeoutMs / 1_000} seconds`;
  const cancel = clock.after(timeoutMs, () => timeout.abort(serviceUnavailable(timeoutMessage)));
  try {
    const client = createVirtualClusterClient(api, AbortSignal.any([timeout.signal, signal]));
    await client.get('/readyz');
    return { kubernetesVersion: textAt(await client.get('/version'), 'gitVersion') };
  } catch (error) {
    const reason = error instanceof StatusError ? error.message : String(error);
    const message = `The pod of the virtual cluster is ready, but its API cannot be reached: ${reason}. Retrying automatically.`;
    return { reason: 'NotAnswering', message };
  } finally {
    cancel();
  }
}
