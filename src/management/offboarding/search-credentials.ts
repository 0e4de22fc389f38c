import type { InstanceCredential } from '../../api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { serviceUnavailable } from '../../api/status.ts';
import type { VirtualClusterClient } from '../../hosts/virtual-cluster-client.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { clientOfInstance, type ReadCredentialsOptions, readCredentials } from '../credentials/read-credentials.ts';

/** The maximum number of virtual clusters that one request searches. */
const maxInstances = 200;
const concurrentCalls = 8;
/** A virtual cluster that does not respond in this time counts as not searched. */
const timeoutMs = 3_000;
/** All calls together end after this time, so that the request does not time out. */
const totalMs = 15_000;

export interface CredentialSearch {
  /** The credentials in the virtual clusters that were searched, by the uid of the instance. */
  readonly found: ReadonlyMap<string, readonly InstanceCredential[]>;
  /** The instances that were not searched, for example because they sleep. */
  readonly unsearched: readonly VirtualClusterInstance[];
}

/**
 * Reads the credentials of service accounts in the virtual clusters of these instances, until a limit of the search is
 * reached.
 */
export async function searchCredentials(
  instances: readonly VirtualClusterInstance[],
  options: ReadCredentialsOptions,
  signal: AbortSignal,
): Promise<CredentialSearch> {
  const found = new Map<string, readonly InstanceCredential[]>();
  await callEach(instances.slice(0, maxInstances), options, signal, async (client, instance) => {
    found.set(instance.metadata.uid ?? '', await readCredentials(client, instance, options));
  });
  return { found, unsearched: instances.filter(({ metadata }) => !found.has(metadata.uid ?? '')) };
}

/**
 * Calls the function with a client of each virtual cluster. Skips virtual clusters that fail or do not respond in time.
 */
export async function callEach(
  instances: readonly VirtualClusterInstance[],
  options: ReadCredentialsOptions,
  signal: AbortSignal,
  call: (client: VirtualClusterClient, instance: VirtualClusterInstance) => Promise<void>,
): Promise<void> {
  const { clock } = options;
  const timeoutError = () => serviceUnavailable('the virtual cluster did not respond in time');
  const end = clock.elapsed() + totalMs;
  for (let start = 0; start < instances.length && clock.elapsed() < end; start += concurrentCalls) {
    const calls = instances
      .slice(start, start + concurrentCalls)
      .map((instance) =>
        withTimeout({ clock, milliseconds: timeoutMs, signal, timeoutError }, async (ending) =>
          call(await clientOfInstance(instance, options, ending), instance),
        ),
      );
    await Promise.allSettled(calls);
    signal.throwIfAborted();
  }
}
