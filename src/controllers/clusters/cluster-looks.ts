import type { HostConnection } from '../../hosts/kubernetes/host-connection.ts';
import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { type ClusterFinding, findOut } from './cluster-finding.ts';

export interface ClusterLooksOptions {
  /** What the server asks that cluster by; undefined: there is no way to it by a kubeconfig. */
  connectionOf(cluster: string): HostConnection | undefined;
  readonly clock: Clock;
}

/** What the last look at a cluster brought to light. */
export interface KnownCluster {
  readonly connection: HostConnection | undefined;
  readonly finding: ClusterFinding;
  /** Looks without success, in a row. */
  readonly failures: number;
  /** When to look again, by `elapsed`; undefined: when there is another connection. */
  readonly dueAt: number | undefined;
  /** When rights were asked for, by `elapsed`. */
  readonly rightsAt: number;
}

/** A cluster that is well is looked at so often. Whoever uses it notices sooner, and is told by whatever fails then. */
const restMilliseconds = 30_000;
const retry: BackoffOptions = { firstMilliseconds: 1_000, longestMilliseconds: 60_000 };
/** Rights are given and taken rarely, and asking for them takes many requests. */
const rightsMilliseconds = 10 * 60_000;

const unusable: ClusterFinding = {
  failure: { why: 'KubeconfigUnusable', detail: 'The kubeconfig that is kept for it cannot be used by this server' },
};

/** Looks at clusters when it is time to, and remembers what there was to see until then. */
export class ClusterLooks {
  readonly #known = new Map<string, KnownCluster>();
  readonly #options: ClusterLooksOptions;

  constructor(options: ClusterLooksOptions) {
    this.#options = options;
  }

  /** Called for one cluster once at a time. Rejects only when the signal has fired. */
  async at(name: string, signal: AbortSignal): Promise<KnownCluster> {
    const connection = this.#options.connectionOf(name);
    const last = this.#known.get(name);
    const same = last?.connection === connection ? last : undefined;
    if (same !== undefined && !this.#isDue(same)) return same;
    const found = await this.#look(connection, same, signal);
    this.#known.set(name, found);
    return found;
  }

  #isDue({ dueAt }: KnownCluster): boolean {
    return dueAt !== undefined && dueAt <= this.#options.clock.elapsed();
  }

  forget(name: string): void {
    this.#known.delete(name);
  }

  async #look(
    connection: HostConnection | undefined,
    before: KnownCluster | undefined,
    signal: AbortSignal,
  ): Promise<KnownCluster> {
    const { clock } = this.#options;
    const now = clock.elapsed();
    if (connection === undefined) {
      return { connection, finding: unusable, failures: 0, dueAt: undefined, rightsAt: now };
    }
    const rightsAt = before?.rightsAt ?? -Infinity;
    const withRights = now - rightsAt >= rightsMilliseconds;
    const finding = await findOut({ connection, withRights, clock, signal });
    const failures = finding.failure === undefined ? 0 : (before?.failures ?? 0) + 1;
    const rest = failures === 0 ? restMilliseconds : backoffDelay(failures, retry);
    return {
      connection,
      finding,
      failures,
      dueAt: clock.elapsed() + Math.min(rest, untilEnd(finding, clock)),
      rightsAt: finding.missingRights === undefined ? rightsAt : now,
    };
  }
}

/** In the moment in which credentials end they are looked at: the clock of the cluster may be a little behind. */
function untilEnd({ credentialEnd }: ClusterFinding, clock: Clock): number {
  const left = (credentialEnd?.at ?? 0) - clock.now();
  return left > 0 ? left + 1_000 : Infinity;
}
