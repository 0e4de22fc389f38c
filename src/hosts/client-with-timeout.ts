import { serviceUnavailable } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { ClusterApi } from './host.ts';
import { createVirtualClusterClient, type VirtualClusterClient } from './virtual-cluster-client.ts';

export interface ClientWithTimeoutOptions {
  readonly clock: Clock;
  /** The timeout for one request including its response body, in milliseconds. */
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

/** Returns a client for a virtual cluster. A request that exceeds the timeout fails with 503. */
export function clientWithTimeout(api: ClusterApi, options: ClientWithTimeoutOptions): VirtualClusterClient {
  const timeoutError = () =>
    serviceUnavailable(
      `the API of the virtual cluster did not respond within ${Math.round(options.milliseconds / 1000)} seconds`,
    );
  const timed = <T>(ask: (client: VirtualClusterClient) => Promise<T>): Promise<T> =>
    withTimeout({ ...options, timeoutError }, (ending) => ask(createVirtualClusterClient(api, ending)));
  return {
    get: (path) => timed((client) => client.get(path)),
    create: (path, object) => timed((client) => client.create(path, object)),
    apply: (path, object) => timed((client) => client.apply(path, object)),
    delete: (path) => timed((client) => client.delete(path)),
  };
}
