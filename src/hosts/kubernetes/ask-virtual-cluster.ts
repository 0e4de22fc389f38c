import { StatusError, serviceUnavailable } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { textAt } from '../../lib/json-path.ts';
import type { ClusterApi } from '../host.ts';
import { virtualClient } from '../virtual-client.ts';

/** What a virtual cluster says of itself, or why it says nothing. */
export type VirtualClusterAnswer =
  | { readonly kubernetesVersion: string }
  | { readonly reason: string; readonly message: string };

/** One that is ready answers in milliseconds; the first connection to it takes a few round trips. */
const patienceMilliseconds = 5_000;

/** A pod that is ready has told its cluster so. That somebody gets to its API is another thing, and only asking shows it. */
export async function askVirtualCluster(
  api: ClusterApi,
  clock: Clock,
  signal: AbortSignal,
): Promise<VirtualClusterAnswer> {
  const late = new AbortController();
  const words = `it has not answered within ${patienceMilliseconds / 1_000} seconds`;
  const cancel = clock.after(patienceMilliseconds, () => late.abort(serviceUnavailable(words)));
  try {
    const virtual = virtualClient(api, AbortSignal.any([late.signal, signal]));
    await virtual.get('/readyz');
    return { kubernetesVersion: textAt(await virtual.get('/version'), 'gitVersion') };
  } catch (error) {
    const why = error instanceof StatusError ? error.message : String(error);
    const message = `Its pod is ready, but its API cannot be reached: ${why}. The server asks again by itself.`;
    return { reason: 'NotAnswering', message };
  } finally {
    cancel();
  }
}
