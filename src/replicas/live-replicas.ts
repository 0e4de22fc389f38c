/** The registered replicas, and the time of their last change. */
export class LiveReplicas {
  #replicas: ReadonlySet<string> = new Set();
  #since = 0;

  /** Sets the replicas. Returns true if they have changed. */
  update(replicas: ReadonlySet<string>, now: number): boolean {
    const isSame =
      replicas.size === this.#replicas.size && [...replicas].every((replica) => this.#replicas.has(replica));
    if (isSame) return false;
    this.#replicas = replicas;
    this.#since = now;
    return true;
  }

  unchangedMs(now: number): number {
    return now - this.#since;
  }
}
