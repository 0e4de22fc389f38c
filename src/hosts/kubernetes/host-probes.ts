import type { HostedVirtualCluster, HostPlace } from '../host.ts';
import { askMissingPods } from './ask-missing-pods.ts';
import { askVirtualCluster, type VirtualClusterAnswer } from './ask-virtual-cluster.ts';
import { describeVirtualCluster, noPodsReason, withoutPods } from './describe-virtual-cluster.ts';
import { readyPods } from './guarded-way.ts';
import type { PlaceFacts } from './host-copies.ts';
import type { HostWork } from './host-work.ts';
import { Inquiries } from './inquiries.ts';
import type { VirtualClusterWays } from './reach-virtual-cluster.ts';

/** Describes virtual clusters with the results of probes, which no watch reports. */
export class HostProbes {
  readonly #probes: Inquiries<VirtualClusterAnswer>;
  readonly #missingPods: Inquiries<string>;

  constructor({ hostClient, copies, clock }: HostWork, connections: VirtualClusterWays) {
    const onNews = (place: HostPlace) => copies.tell(place);
    this.#probes = new Inquiries<VirtualClusterAnswer>({
      ask: (place, signal) => askVirtualCluster(connections.to(place), clock, signal),
      isFinal: (answer) => 'kubernetesVersion' in answer,
      again: { firstMilliseconds: 250, longestMilliseconds: 10_000 },
      clock,
      onNews,
    });
    this.#missingPods = new Inquiries<string>({
      ask: (place, signal) => askMissingPods(hostClient, place, signal),
      isFinal: () => false,
      again: { firstMilliseconds: 1_000, longestMilliseconds: 60_000 },
      clock,
      onNews,
    });
  }

  /** Probes the virtual cluster if its state is not known from the cluster's objects alone. */
  async describe(facts: PlaceFacts): Promise<HostedVirtualCluster | undefined> {
    const { place } = facts;
    const seen = describeVirtualCluster(facts);
    if (seen?.phase !== 'Ready') this.#probes.forget(place);
    if (seen?.phase !== 'Pending' || seen.reason !== noPodsReason) this.#missingPods.forget(place);
    else {
      const message = await this.#missingPods.answer(place, seen.uid);
      return message === '' ? { ...seen, reason: 'Starting' } : { ...seen, ...withoutPods(message) };
    }
    if (seen?.phase !== 'Ready') return seen;
    const answer = await this.#probes.answer(place, [seen.uid, ...readyPods(facts).map(({ uid }) => uid)].join());
    return { ...seen, ...answer, phase: 'kubernetesVersion' in answer ? 'Ready' : 'Pending' };
  }

  /** Uses only results that are known already. */
  describeCached(facts: PlaceFacts): HostedVirtualCluster | undefined {
    const seen = describeVirtualCluster(facts);
    if (seen === undefined) return undefined;
    const answer = this.#probes.known(facts.place);
    return answer !== undefined && 'kubernetesVersion' in answer ? { ...seen, ...answer } : seen;
  }

  close(): void {
    this.#probes.close();
    this.#missingPods.close();
  }
}
