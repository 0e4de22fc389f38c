import type { HostListener, InstanceDriver } from '../../hosts/host.ts';

export interface HostSubscriptionsOptions {
  /** Returns the driver of the currently connected host of a cluster; `undefined` if there is none. */
  driverOf(cluster: string): InstanceDriver | undefined;
  /** True if there is an instance on this cluster. */
  hasInstances(cluster: string): boolean;
  /** Returns the listener for changes to the instances on this cluster. */
  listenerOf(cluster: string): HostListener;
}

interface Subscription {
  readonly host: InstanceDriver;
  readonly end: AbortController;
}

/**
 * Keeps one subscription to the changes on the host of each cluster that has instances. A subscription is expensive,
 * because a Kubernetes host keeps a watch per kind open for it. New credentials of a cluster replace its Host object;
 * the subscription then moves to the new Host object.
 */
export class HostSubscriptions {
  readonly #options: HostSubscriptionsOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: HostSubscriptionsOptions) {
    this.#options = options;
  }

  /**
   * Subscribes to the current host of the cluster if the cluster has instances, and ends the subscription otherwise. Does
   * nothing if the existing subscription already uses that host.
   */
  update(cluster: string): void {
    const existing = this.#subscriptions.get(cluster);
    const isNeeded = !this.#stopped && this.#options.hasInstances(cluster);
    const host = isNeeded ? this.#options.driverOf(cluster) : undefined;
    if (existing?.host === host) return;
    existing?.end.abort();
    this.#subscriptions.delete(cluster);
    if (host === undefined) return;
    const end = new AbortController();
    this.#subscriptions.set(cluster, { host, end });
    const subscription = host.watch(this.#options.listenerOf(cluster), end.signal).finally(() => {
      this.#running.delete(subscription);
    });
    this.#running.add(subscription);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { end } of this.#subscriptions.values()) end.abort();
    this.#subscriptions.clear();
    await Promise.all(this.#running);
  }
}
