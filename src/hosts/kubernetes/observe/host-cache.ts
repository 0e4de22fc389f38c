import { namespaceKind } from '../../../api/core/namespace.ts';
import { secretKind } from '../../../api/core/secret.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { hostOwnerLabel } from '../../../api/naming.ts';
import type { ResourceKind } from '../../../api/resource.ts';
import { StatusError, serviceUnavailable } from '../../../api/status.ts';
import type { ApiClient } from '../../../client/resource-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
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
 * A cache of the Kubernetes objects that belong to the virtual clusters on a host. The first use starts one watch per
 * kind.
 */
export class HostCache {
  readonly #options: HostCacheOptions;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<HostListener>();
  readonly #failures = new Map<string, unknown>();
  readonly #waiters = new Set<() => void>();
  #copies: Copies | undefined;
  #heartbeat: Promise<void> | undefined;
  #isSynced = false;

  constructor(options: HostCacheOptions) {
    this.#options = options;
  }

  /** Resolves after the cache is synced. Rejects with StatusError if the objects on the host cannot be listed. */
  async ready(signal: AbortSignal): Promise<void> {
    this.#start();
    for (;;) {
      signal.throwIfAborted();
      if (this.#stopping.signal.aborted) throw serviceUnavailable('the connection to the cluster has been closed');
      if (this.#isSynced) return;
      const [failure] = this.#failures.values();
      if (failure !== undefined) throw asStatus(failure);
      await this.#nextChange(signal);
    }
  }

  snapshotOf(location: HostLocation): VirtualClusterSnapshot {
    const { services, statefulSets, deployments, pods, records, namespaces } = this.#start();
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
    const places = [...this.#start().services.all()].map(({ namespace, name }) => ({ namespace, name }));
    return places.sort((one, other) => compare(one.namespace, other.namespace) || compare(one.name, other.name));
  }

  /** Returns true as soon as the condition holds for the virtual cluster, and false if it does not within 5 seconds. */
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
        if (combined.aborted || this.#stopping.signal.aborted) return false;
        await this.#nextChange(combined);
      }
    } finally {
      cancel();
    }
  }

  /** Reports changes to the listener until the signal fires or the cache is closed. */
  async watch(listener: HostListener, signal: AbortSignal): Promise<void> {
    const end = AbortSignal.any([signal, this.#stopping.signal]);
    if (end.aborted) return;
    this.#start();
    this.#listeners.add(listener);
    listener.onGap();
    await new Promise<void>((resolve) => end.addEventListener('abort', () => resolve(), { once: true }));
    this.#listeners.delete(listener);
  }

  /**
   * Reports changes to the listener until the returned function is called. Unlike `watch`, it does not start the cache. If the
   * cache is complete already, the listener is called at once.
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

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await Promise.all([this.#heartbeat, ...Object.values(this.#copies ?? {}).map(({ done }) => done)]);
  }

  #start(): Copies {
    if (this.#copies === undefined) {
      this.#copies = this.#startAll();
      const { probe, clock } = this.#options;
      const onState = (failure: unknown) => this.#setStatus('the host', failure);
      this.#heartbeat = runHeartbeat({ probe, clock, signal: this.#stopping.signal, onResult: onState });
    }
    return this.#copies;
  }

  #startAll(): Copies {
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
        signal: this.#stopping.signal,
        onChange: (fact) => this.#changed(kind, fact),
        onStatus: (failure) => this.#setStatus(kind.plural, failure),
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

  #setStatus(what: string, failure: unknown): void {
    if (failure === undefined) this.#failures.delete(what);
    else this.#failures.set(what, failure);
    const isSynced = this.#failures.size === 0 && Object.values(this.#start()).every(({ isSynced }) => isSynced);
    if (isSynced !== this.#isSynced) {
      this.#isSynced = isSynced;
      for (const listener of [...this.#listeners]) listener.onGap();
    }
    this.#wake();
  }

  /** Resolves after the next change to the cache or its status, or when the signal fires. */
  #nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
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
