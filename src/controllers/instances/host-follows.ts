import type { Host, HostListener } from '../../hosts/host.ts';

export interface HostFollowsOptions {
  /** The one that is connected under that name now. */
  hostOf(cluster: string): Host | undefined;
  /** What is told of the virtual clusters of that one. */
  listenerOf(cluster: string): HostListener;
}

interface Follow {
  readonly host: Host;
  readonly end: AbortController;
}

/** Hears what happens on each cluster, from the host that is connected now: a cluster that gets other credentials gets another. */
export class HostFollows {
  readonly #options: HostFollowsOptions;
  readonly #follows = new Map<string, Follow>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: HostFollowsOptions) {
    this.#options = options;
  }

  /** Called whenever somebody is interested in that cluster; nothing happens while its host is the same one. */
  keep(cluster: string): void {
    const known = this.#follows.get(cluster);
    const host = this.#stopped ? undefined : this.#options.hostOf(cluster);
    if (known?.host === host) return;
    known?.end.abort();
    this.#follows.delete(cluster);
    if (host === undefined) return;
    const end = new AbortController();
    this.#follows.set(cluster, { host, end });
    const running = host.follow(this.#options.listenerOf(cluster), end.signal).finally(() => {
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { end } of this.#follows.values()) end.abort();
    this.#follows.clear();
    await Promise.all(this.#running);
  }
}
