/** The groups of keys that share the workers of a lane. */
export interface KeyGroups {
  /** Returns the group of a key. A key must always be in the same group. */
  groupOf(key: string): string;
  /** Maximum number of keys of a group that are processed concurrently in a lane. */
  readonly concurrency: number;
}

const singleGroup: KeyGroups = { groupOf: () => '', concurrency: Number.POSITIVE_INFINITY };

/**
 * The keys of a lane that wait for a worker. Groups are served round-robin. In each group, keys are served in the order
 * in which they were added.
 */
export class WaitingKeys {
  readonly #groups: KeyGroups;
  /** The waiting keys by group, in round-robin order. */
  readonly #waiting = new Map<string, Set<string>>();
  /** The number of keys that are being processed, by group. */
  readonly #running = new Map<string, number>();

  constructor(groups: KeyGroups = singleGroup) {
    this.#groups = groups;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(key: string): void {
    const group = this.#groups.groupOf(key);
    const keys = this.#waiting.get(group);
    if (keys === undefined) this.#waiting.set(group, new Set([key]));
    else keys.add(key);
  }

  /** Takes the next key. The caller must call `done` after it has processed the key. */
  take(): string | undefined {
    for (const [group, keys] of this.#waiting) {
      const running = this.#running.get(group) ?? 0;
      const [key] = keys;
      if (key === undefined || running >= this.#groups.concurrency) continue;
      this.#running.set(group, running + 1);
      keys.delete(key);
      // Moves the group to the end of the round-robin order.
      this.#waiting.delete(group);
      if (keys.size > 0) this.#waiting.set(group, keys);
      return key;
    }
    return undefined;
  }

  done(key: string): void {
    const group = this.#groups.groupOf(key);
    const running = (this.#running.get(group) ?? 0) - 1;
    if (running > 0) this.#running.set(group, running);
    else this.#running.delete(group);
  }
}
