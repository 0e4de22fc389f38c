import { namespaceKind } from '../../../api/core/namespace.ts';
import { secretKind } from '../../../api/core/secret.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { hostOwnerLabel } from '../../../api/naming.ts';
import type { ResourceKind } from '../../../api/resource.ts';
import { StatusError, serviceUnavailable } from '../../../api/status.ts';
import type { ApiClient } from '../../../client/resource-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { RetryDelays } from '../../../lib/retry-delays.ts';
import type { HostListener, HostLocation } from '../../host.ts';
import { deploymentKind, podKind, serviceKind, statefulSetKind } from '../host-kinds.ts';
import { controlPlaneSelector, releaseRecordSelector, workloadSelector } from '../release/chart-labels.ts';
import { runHeartbeat } from './heartbeat.ts';
import {
  type NamespaceSummary,
  type ObjectSummary,
  type PodSummary,
  type ReleaseRecordSummary,
  type ServiceSummary,
  summarizeNamespace,
  summarizePod,
  summarizeReleaseRecord,
  summarizeService,
  summarizeWorkload,
  type WorkloadSummary,
} from './object-summaries.ts';
import { podProblem } from './pod-problem.ts';
import { ResourceCache } from './resource-cache.ts';

export interface HostCacheOptions {
  readonly hostClient: ApiClient;
  /** A client like `hostClient` that requests only the metadata of objects. */
  readonly metadataClient: ApiClient;
  /** Sends a request to the host. Rejects if the host does not respond. */
  probe(signal: AbortSignal): Promise<void>;
  /** True if something other than the cache's listeners needs the cache, so it must not stop. Optional; defaults to false. */
  isInUse?(): boolean;
  /** Called after the cache has stopped because nothing used it. Optional. */
  onIdle?(): void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The cached objects of one virtual cluster. */
export interface VirtualClusterSnapshot {
  readonly location: HostLocation;
  readonly service: ServiceSummary | undefined;
  readonly workloads: readonly WorkloadSummary[];
  readonly pods: readonly PodSummary[];
  /** The record of the newest revision of the Helm release. */
  readonly record: ReleaseRecordSummary | undefined;
  readonly namespace: NamespaceSummary | undefined;
}

interface Copies {
  readonly services: ResourceCache<ServiceSummary>;
  readonly statefulSets: ResourceCache<WorkloadSummary>;
  readonly deployments: ResourceCache<WorkloadSummary>;
  readonly pods: ResourceCache<PodSummary>;
  readonly records: ResourceCache<ReleaseRecordSummary>;
  readonly namespaces: ResourceCache<NamespaceSummary>;
}

/** Maximum wait until a write appears in the cache. A watch normally reports it within milliseconds. */
const catchUpTimeoutMs = 5_000;

/**
 * The time without use after which the cache stops. It is longer than the pause between two requests of a person who works
 * with a virtual cluster or opens pages of the console.
 */
const idleTimeoutMs = 5 * 60_000;

/** The minimum time between two immediate retries that requests cause for the cache of an unreachable host. */
const requestedRetryIntervalMs = 1_000;

/**
 * The maximum time for which a request waits for a retry. After this time, requests fail at once with the last error
 * until the retry has ended.
 */
const retryWaitMs = 3_000;

/** The last error of a repeatedly failing list or probe. */
interface Failure {
  readonly error: unknown;
  /** The time at which the retry began, by the monotonic clock; `undefined` while the retry is delayed. */
  retriedAt: number | undefined;
}

/** One run of a cache, from its start until it stops: its watches and its failures. */
interface Run {
  readonly copies: Copies;
  /** The current failures, by the plural of the kind that cannot be listed; `the host` for the heartbeat. */
  readonly failures: Map<string, Failure>;
  readonly stopping: AbortController;
  readonly done: Promise<unknown>;
}

/**
 * A cache of the Kubernetes objects that belong to the virtual clusters on a host. The first use starts one watch per
 * kind. The watches stop after some minutes without use, because each keeps a connection open even without changes.
 */
export class HostCache {
  readonly #options: HostCacheOptions;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<HostListener>();
  readonly #waiters = new Set<() => void>();
  readonly #stopped = new Set<Promise<unknown>>();
  #run: Run | undefined;
  /** The number of watches and operations that use the cache now. */
  #uses = 0;
  #lastUse = 0;
  #cancelIdleCheck: (() => void) | undefined;
  #isSynced = false;
  readonly #delays: RetryDelays;
  #requestedRetryAt = Number.NEGATIVE_INFINITY;

  constructor(options: HostCacheOptions) {
    this.#options = options;
    this.#delays = new RetryDelays(options.clock);
  }

  /**
   * Resolves after the cache is synced. Waits a few seconds for a retry if the host was unreachable. Rejects with
   * StatusError if the objects on the host cannot be listed.
   */
  async ready(signal: AbortSignal): Promise<void> {
    await this.use(signal, async () => {});
  }

  /**
   * Runs a task after the cache is synced. The cache does not stop before the task has ended. Rejects like `ready`, and with
   * the error of the task.
   */
  async use<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const release = this.#hold();
    try {
      const { failures } = this.#start();
      if (failures.size > 0) this.#retryForRequest();
      for (;;) {
        signal.throwIfAborted();
        if (this.#closing.signal.aborted) throw serviceUnavailable('the connection to the cluster has been closed');
        if (this.#isSynced) break;
        const timeout = this.#retryTimeout(failures.values());
        await this.#nextChange(signal, timeout);
      }
      return await task();
    } finally {
      release();
    }
  }

  snapshotOf(location: HostLocation): VirtualClusterSnapshot {
    const { services, statefulSets, deployments, pods, records, namespaces } = this.#start().copies;
    return {
      location,
      service: services.get(location.namespace, location.name),
      workloads: [...statefulSets.ofVirtualCluster(location), ...deployments.ofVirtualCluster(location)],
      pods: pods.ofVirtualCluster(location),
      record: newest(records.ofVirtualCluster(location)),
      namespace: namespaces.get('', location.namespace),
    };
  }

  /** Returns the locations of all virtual clusters, sorted by namespace and name. */
  locations(): readonly HostLocation[] {
    const places = [...this.#start().copies.services.all()].map(({ namespace, name }) => ({ namespace, name }));
    return places.sort((one, other) => compare(one.namespace, other.namespace) || compare(one.name, other.name));
  }

  /**
   * Waits until the condition holds for the virtual cluster. Returns true as soon as it holds, and false after 5
   * seconds.
   */
  async waitUntil(
    location: HostLocation,
    holds: (snapshot: VirtualClusterSnapshot) => boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const timeout = new AbortController();
    const cancel = this.#options.clock.after(catchUpTimeoutMs, () => timeout.abort());
    const combined = AbortSignal.any([signal, timeout.signal]);
    try {
      for (;;) {
        if (holds(this.snapshotOf(location))) return true;
        if (combined.aborted || this.#closing.signal.aborted) return false;
        await this.#nextChange(combined);
      }
    } finally {
      cancel();
    }
  }

  /** Reports changes to the listener until the signal fires or the cache is closed. */
  async watch(listener: HostListener, signal: AbortSignal): Promise<void> {
    const end = AbortSignal.any([signal, this.#closing.signal]);
    if (end.aborted) return;
    const release = this.#hold();
    this.#start();
    this.#listeners.add(listener);
    listener.onGap();
    await new Promise<void>((resolve) => end.addEventListener('abort', () => resolve(), { once: true }));
    this.#listeners.delete(listener);
    release();
  }

  /**
   * Reports changes to the listener until the returned function is called. Unlike `watch`, this function does not start
   * the cache. If the cache is already synced, `onGap` of the listener is called at once.
   */
  listen(listener: HostListener): () => void {
    this.#listeners.add(listener);
    if (this.#isSynced) listener.onGap();
    return () => this.#listeners.delete(listener);
  }

  /** Notifies all listeners that a virtual cluster has changed. */
  notify(location: Parameters<HostListener['onChange']>[0]): void {
    for (const listener of [...this.#listeners]) listener.onChange(location);
  }

  /** Ends the delays before the next attempts to reach the host. Called when the host is probably reachable again. */
  retry(): void {
    const now = this.#options.clock.elapsed();
    for (const failure of this.#run?.failures.values() ?? []) failure.retriedAt ??= now;
    this.#delays.end();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelIdleCheck?.();
    this.#run?.stopping.abort();
    this.#wake();
    await Promise.all(this.#stopped);
  }

  #start(): Run {
    if (this.#run !== undefined) return this.#run;
    const stopping = new AbortController();
    // A closed cache can be read, but it watches nothing.
    if (this.#closing.signal.aborted) stopping.abort();
    const failures: Run['failures'] = new Map();
    const copies = this.#startAll(stopping.signal, failures);
    const { probe, clock } = this.#options;
    const onResult = (error: unknown) => this.#setStatus(failures, 'the host', error);
    const delay = this.#delayOf(failures, 'the host');
    const heartbeat = runHeartbeat({ probe, clock, signal: stopping.signal, delay, onResult });
    const done = Promise.all([heartbeat, ...Object.values(copies).map((copy: Copies[keyof Copies]) => copy.done)]);
    this.#run = { copies, failures, stopping, done };
    this.#stopped.add(done);
    void done.then(() => this.#stopped.delete(done));
    this.#lastUse = clock.elapsed();
    this.#checkIdleAfter(idleTimeoutMs);
    return this.#run;
  }

  /** Registers a use of the cache. The returned function ends the use. */
  #hold(): () => void {
    this.#uses++;
    return () => {
      this.#uses--;
      this.#lastUse = this.#options.clock.elapsed();
    };
  }

  #checkIdleAfter(milliseconds: number): void {
    const { clock, isInUse, onIdle } = this.#options;
    this.#cancelIdleCheck?.();
    if (this.#closing.signal.aborted) return;
    this.#cancelIdleCheck = clock.after(milliseconds, () => {
      const isUsed = this.#uses > 0 || isInUse?.() === true;
      const idle = isUsed ? 0 : clock.elapsed() - this.#lastUse;
      if (idle < idleTimeoutMs) {
        this.#checkIdleAfter(idleTimeoutMs - idle);
        return;
      }
      this.#run?.stopping.abort();
      this.#run = undefined;
      this.#isSynced = false;
      onIdle?.();
    });
  }

  #startAll(signal: AbortSignal, failures: Run['failures']): Copies {
    const { hostClient, metadataClient } = this.#options;
    const copy = <Summary extends ObjectSummary>(
      client: ApiClient,
      kind: ResourceKind,
      labelSelector: string,
      read: (object: KubeObject) => Summary | undefined,
    ) =>
      new ResourceCache<Summary>({
        ...this.#options,
        resource: client.resource(kind),
        labelSelector,
        summarize: read,
        signal,
        onChange: (fact) => this.#changed(kind, fact),
        delay: this.#delayOf(failures, kind.plural),
        onStatus: (error) => this.#setStatus(failures, kind.plural, error),
      });
    return {
      services: copy(hostClient, serviceKind, controlPlaneSelector, summarizeService),
      statefulSets: copy(hostClient, statefulSetKind, workloadSelector, summarizeWorkload),
      deployments: copy(hostClient, deploymentKind, workloadSelector, summarizeWorkload),
      pods: copy(hostClient, podKind, controlPlaneSelector, (pod) => summarizePod(pod, podProblem)),
      records: copy(metadataClient, secretKind, releaseRecordSelector, summarizeReleaseRecord),
      namespaces: copy(metadataClient, namespaceKind, hostOwnerLabel, summarizeNamespace),
    };
  }

  #changed(kind: ResourceKind, { namespace, name, release }: ObjectSummary): void {
    // Do not report single changes before the cache is synced. After the sync, every listener gets `onGap`.
    if (this.#isSynced) this.notify(kind === namespaceKind ? { namespace: name } : { namespace, name: release });
    this.#wake();
  }

  #delayOf(failures: Run['failures'], what: string) {
    return async (milliseconds: number, signal: AbortSignal) => {
      await this.#delays.wait(milliseconds, signal);
      const failure = failures.get(what);
      if (failure !== undefined) failure.retriedAt ??= this.#options.clock.elapsed();
    };
  }

  #retryForRequest(): void {
    const now = this.#options.clock.elapsed();
    if (now - this.#requestedRetryAt < requestedRetryIntervalMs) return;
    this.#requestedRetryAt = now;
    this.retry();
  }

  /**
   * Returns the time for which a request waits for the retries of all failures; `undefined` if there are no failures. Throws the
   * error of a failure that is not retried now, or whose retry takes long.
   */
  #retryTimeout(failures: Iterable<Failure>): number | undefined {
    const now = this.#options.clock.elapsed();
    let timeout: number | undefined;
    for (const { error, retriedAt = Number.NEGATIVE_INFINITY } of failures) {
      const remaining = retriedAt + retryWaitMs - now;
      if (remaining <= 0) throw asStatus(error);
      timeout = Math.min(timeout ?? remaining, remaining);
    }
    return timeout;
  }

  #setStatus(failures: Run['failures'], what: string, error: unknown): void {
    // Ignore the result of a list that ended after the cache was stopped.
    if (failures !== this.#run?.failures) return;
    if (error !== undefined) failures.set(what, { error, retriedAt: undefined });
    // The list or probe succeeded after a failure, so the host responds again.
    else if (failures.delete(what)) this.retry();
    const isSynced = failures.size === 0 && Object.values(this.#run.copies).every(({ isSynced }) => isSynced);
    if (isSynced !== this.#isSynced) {
      this.#isSynced = isSynced;
      for (const listener of [...this.#listeners]) listener.onGap();
    }
    this.#wake();
  }

  /** Resolves after the next change to the cache or its status, after the optional timeout, or when the signal fires. */
  #nextChange(signal: AbortSignal, timeout?: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = timeout === undefined ? undefined : this.#options.clock.after(timeout, () => finish());
      const finish = () => {
        cancel?.();
        this.#waiters.delete(finish);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      this.#waiters.add(finish);
      signal.addEventListener('abort', finish, { once: true });
    });
  }

  #wake(): void {
    for (const finish of [...this.#waiters]) finish();
  }
}

function newest(records: readonly ReleaseRecordSummary[]): ReleaseRecordSummary | undefined {
  return records.reduce<ReleaseRecordSummary | undefined>(
    (best, record) => (best === undefined || record.revision > best.revision ? record : best),
    undefined,
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Converts an error to a StatusError. An error that is not a response of the host is a connection failure: 503. */
function asStatus(failure: unknown): StatusError {
  if (failure instanceof StatusError) return failure;
  return serviceUnavailable(
    `the cluster cannot be read: ${failure instanceof Error ? failure.message : String(failure)}`,
  );
}
