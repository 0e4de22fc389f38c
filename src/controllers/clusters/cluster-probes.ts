import type { HostConnection } from '../../hosts/kubernetes/reach/host-connection.ts';
import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { type ClusterProbeResult, probeCluster } from './probe-cluster.ts';

export interface ClusterProbesOptions {
  /** The server's connection to the cluster; `undefined` if its kubeconfig is unusable. */
  connectionOf(cluster: string): HostConnection | undefined;
  /** True if the server only imports virtual clusters from the cluster. Optional; by default, it installs them. */
  isReadOnly?(cluster: string): boolean;
  readonly clock: Clock;
}

/** The result of the last probe of a cluster. */
export interface CachedProbe {
  readonly connection: HostConnection | undefined;
  readonly result: ClusterProbeResult;
  readonly readOnly: boolean;
  /** Number of consecutive failed probes. */
  readonly failures: number;
  /**
   * Monotonic time of the next probe; `undefined` if the cluster is probed again only after its connection is replaced.
   */
  readonly dueAt: number | undefined;
  /** Monotonic time of the last permission check. */
  readonly permissionsCheckedAt: number;
}

/**
 * Interval between probes of a healthy cluster. A long one suffices, because requests to a failed cluster report
 * errors.
 */
const healthyIntervalMs = 30_000;
const retry: BackoffOptions = { initialMilliseconds: 1_000, maxMilliseconds: 60_000 };
/** Interval between permission checks. It is long because permissions change rarely and a check takes many requests. */
const permissionCheckIntervalMs = 10 * 60_000;

const unusableKubeconfig: ClusterProbeResult = {
  failure: { reason: 'KubeconfigUnusable', detail: 'The server cannot use the stored kubeconfig' },
};

/** Probes clusters at intervals. Caches each result until the next probe of the cluster is due. */
export class ClusterProbes {
  readonly #cached = new Map<string, CachedProbe>();
  readonly #options: ClusterProbesOptions;

  constructor(options: ClusterProbesOptions) {
    this.#options = options;
  }

  /**
   * Returns the cached result, or probes the cluster if a probe is due. Callers must not call this method for a cluster
   * before the previous call for that cluster has settled. Rejects only if `signal` is aborted.
   */
  async probe(name: string, signal: AbortSignal): Promise<CachedProbe> {
    const connection = this.#options.connectionOf(name);
    const last = this.#cached.get(name);
    const readOnly = this.#options.isReadOnly?.(name) ?? false;
    const same = last?.connection === connection && last?.readOnly === readOnly ? last : undefined;
    if (same !== undefined && !this.#isDue(same)) return same;
    const result = await this.#probe({ connection, readOnly }, same, signal);
    this.#cached.set(name, result);
    return result;
  }

  #isDue({ dueAt }: CachedProbe): boolean {
    return dueAt !== undefined && dueAt <= this.#options.clock.elapsed();
  }

  forget(name: string): void {
    this.#cached.delete(name);
  }

  async #probe(
    { connection, readOnly }: Pick<CachedProbe, 'connection' | 'readOnly'>,
    before: CachedProbe | undefined,
    signal: AbortSignal,
  ): Promise<CachedProbe> {
    const { clock } = this.#options;
    const now = clock.elapsed();
    if (connection === undefined) {
      return {
        connection,
        readOnly,
        result: unusableKubeconfig,
        failures: 0,
        dueAt: undefined,
        permissionsCheckedAt: now,
      };
    }
    const permissionsCheckedAt = before?.permissionsCheckedAt ?? -Infinity;
    const withPermissions = now - permissionsCheckedAt >= permissionCheckIntervalMs;
    const finding = await probeCluster({ connection, withPermissions, readOnly, clock, signal });
    const failures = finding.failure === undefined ? 0 : (before?.failures ?? 0) + 1;
    const delay = failures === 0 ? healthyIntervalMs : backoffDelay(failures, retry);
    return {
      connection,
      readOnly,
      result: finding,
      failures,
      dueAt: clock.elapsed() + Math.min(delay, untilCredentialEnd(finding, clock)),
      permissionsCheckedAt: finding.missingPermissions === undefined ? permissionsCheckedAt : now,
    };
  }
}

/**
 * Returns the milliseconds until the credentials expire; infinity if they do not expire or have already expired. One
 * second is added because the cluster's clock may be slightly behind.
 */
function untilCredentialEnd({ credentialEnd }: ClusterProbeResult, clock: Clock): number {
  const left = (credentialEnd?.at ?? 0) - clock.now();
  return left > 0 ? left + 1_000 : Infinity;
}
