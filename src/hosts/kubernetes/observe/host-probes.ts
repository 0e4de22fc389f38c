import type { HostedVirtualCluster, HostLocation } from '../../host.ts';
import { readyPods } from '../reach/virtual-cluster-api.ts';
import type { VirtualClusterConnections } from '../reach/virtual-cluster-connections.ts';
import type { HostContext } from '../release/host-context.ts';
import { describeVirtualCluster, noPodsReason, noPodsState } from './describe-virtual-cluster.ts';
import { explainMissingPods } from './explain-missing-pods.ts';
import type { VirtualClusterSnapshot } from './host-cache.ts';
import { ProbeCache } from './probe-cache.ts';
import { probeVirtualCluster, type VirtualClusterProbe } from './probe-virtual-cluster.ts';

/**
 * Describes virtual clusters with their cached objects and with the results of probes. Probes find out what no watch
 * reports, for example whether the API of a virtual cluster responds.
 */
export class HostProbes {
  readonly #probes: ProbeCache<VirtualClusterProbe>;
  readonly #missingPods: ProbeCache<string>;

  constructor({ hostClient, cache, clock }: HostContext, connections: VirtualClusterConnections) {
    const onChange = (location: HostLocation) => cache.notify(location);
    this.#probes = new ProbeCache<VirtualClusterProbe>({
      probe: (location, signal) => probeVirtualCluster(connections.apiOf(location), clock, signal),
      isFinal: (result) => 'kubernetesVersion' in result,
      retry: { initialMilliseconds: 250, maxMilliseconds: 10_000 },
      clock,
      onChange,
    });
    this.#missingPods = new ProbeCache<string>({
      probe: (location, signal) => explainMissingPods(hostClient, location, signal),
      isFinal: () => false,
      retry: { initialMilliseconds: 1_000, maxMilliseconds: 60_000 },
      clock,
      onChange,
    });
  }

  /** Returns the state of a virtual cluster. Sends a probe if the cached objects alone do not show the state. */
  async describe(snapshot: VirtualClusterSnapshot): Promise<HostedVirtualCluster | undefined> {
    const { location } = snapshot;
    const seen = describeVirtualCluster(snapshot);
    if (seen?.phase !== 'Ready') this.#probes.forget(location);
    if (seen?.phase !== 'Pending' || seen.reason !== noPodsReason) this.#missingPods.forget(location);
    else {
      const message = await this.#missingPods.get(location, seen.uid);
      return message === '' ? { ...seen, reason: 'Starting' } : { ...seen, ...noPodsState(message) };
    }
    if (seen?.phase !== 'Ready') return seen;
    const result = await this.#probes.get(location, [seen.uid, ...readyPods(snapshot).map(({ uid }) => uid)].join());
    return { ...seen, ...result, phase: 'kubernetesVersion' in result ? 'Ready' : 'Pending' };
  }

  /** Returns the state of a virtual cluster without sending a probe. Uses the result of an earlier probe. */
  describeCached(snapshot: VirtualClusterSnapshot): HostedVirtualCluster | undefined {
    const seen = describeVirtualCluster(snapshot);
    if (seen === undefined) return undefined;
    const result = this.#probes.peek(snapshot.location);
    return result !== undefined && 'kubernetesVersion' in result ? { ...seen, ...result } : seen;
  }

  /** Removes all results and stops repeating probes. */
  forgetAll(): void {
    this.#probes.forgetAll();
    this.#missingPods.forgetAll();
  }

  close(): void {
    this.#probes.close();
    this.#missingPods.close();
  }
}
