import type { HostedVirtualCluster, HostLocation } from '../../host.ts';
import { readyPods } from '../reach/guarded-api.ts';
import type { VirtualClusterConnections } from '../reach/virtual-cluster-connections.ts';
import type { HostContext } from '../release/host-context.ts';
import { describeVirtualCluster, noPodsReason, noPodsState } from './describe-virtual-cluster.ts';
import { explainMissingPods } from './explain-missing-pods.ts';
import type { VirtualClusterSnapshot } from './host-cache.ts';
import { ProbeCache } from './probe-cache.ts';
import { probeVirtualCluster, type VirtualClusterProbe } from './probe-virtual-cluster.ts';

/** Describes virtual clusters with the results of probes, which no watch reports. */
export class HostProbes {
  readonly #probes: ProbeCache<VirtualClusterProbe>;
  readonly #missingPods: ProbeCache<string>;

  constructor({ hostClient, cache, clock }: HostContext, connections: VirtualClusterConnections) {
    const onNews = (place: HostLocation) => cache.notify(place);
    this.#probes = new ProbeCache<VirtualClusterProbe>({
      probe: (place, signal) => probeVirtualCluster(connections.apiOf(place), clock, signal),
      isFinal: (answer) => 'kubernetesVersion' in answer,
      retry: { initialMilliseconds: 250, maxMilliseconds: 10_000 },
      clock,
      onChange: onNews,
    });
    this.#missingPods = new ProbeCache<string>({
      probe: (place, signal) => explainMissingPods(hostClient, place, signal),
      isFinal: () => false,
      retry: { initialMilliseconds: 1_000, maxMilliseconds: 60_000 },
      clock,
      onChange: onNews,
    });
  }

  /** Probes the virtual cluster if its state is not known from the cluster's objects alone. */
  async describe(facts: VirtualClusterSnapshot): Promise<HostedVirtualCluster | undefined> {
    const { location } = facts;
    const seen = describeVirtualCluster(facts);
    if (seen?.phase !== 'Ready') this.#probes.forget(location);
    if (seen?.phase !== 'Pending' || seen.reason !== noPodsReason) this.#missingPods.forget(location);
    else {
      const message = await this.#missingPods.get(location, seen.uid);
      return message === '' ? { ...seen, reason: 'Starting' } : { ...seen, ...noPodsState(message) };
    }
    if (seen?.phase !== 'Ready') return seen;
    const answer = await this.#probes.get(location, [seen.uid, ...readyPods(facts).map(({ uid }) => uid)].join());
    return { ...seen, ...answer, phase: 'kubernetesVersion' in answer ? 'Ready' : 'Pending' };
  }

  /** Uses only results that are known already. */
  describeCached(facts: VirtualClusterSnapshot): HostedVirtualCluster | undefined {
    const seen = describeVirtualCluster(facts);
    if (seen === undefined) return undefined;
    const answer = this.#probes.peek(facts.location);
    return answer !== undefined && 'kubernetesVersion' in answer ? { ...seen, ...answer } : seen;
  }

  close(): void {
    this.#probes.close();
    this.#missingPods.close();
  }
}
