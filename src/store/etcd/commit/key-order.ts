/** The keys that a task uses. A key that the task both reads and writes counts as written. */
export interface UsedKeys {
  readonly read: Iterable<string>;
  readonly written: Iterable<string>;
}

/** The tasks that use a key and have not ended. */
interface KeyUse {
  /** The last task that writes the key. */
  writer: Promise<void> | undefined;
  /** The tasks that were started after `writer` and only read the key. */
  readonly readers: Set<Promise<void>>;
}

/**
 * Executes the tasks of this process that use a common key in the order in which they were started, if at least one of
 * them writes the key. Other tasks are executed concurrently. etcd executes concurrent requests in any order. Without
 * this class, the first of two consecutive writes could therefore replace the second one.
 */
export class KeyOrder {
  readonly #uses = new Map<string, KeyUse>();

  async run<T>({ read, written }: UsedKeys, task: () => Promise<T>): Promise<T> {
    const earlier = new Set<Promise<void>>();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const writes = new Set(written);
    const reads = new Set(read);
    for (const key of writes) this.#write(key, ended, earlier);
    for (const key of reads) if (!writes.has(key)) this.#read(key, ended, earlier);
    try {
      if (earlier.size > 0) await Promise.all(earlier);
      return await task();
    } finally {
      for (const key of writes) this.#release(key, ended);
      for (const key of reads) this.#release(key, ended);
      end();
    }
  }

  #write(key: string, task: Promise<void>, earlier: Set<Promise<void>>): void {
    const use = this.#uses.get(key);
    if (use?.writer !== undefined) earlier.add(use.writer);
    for (const reader of use?.readers ?? []) earlier.add(reader);
    this.#uses.set(key, { writer: task, readers: new Set() });
  }

  #read(key: string, task: Promise<void>, earlier: Set<Promise<void>>): void {
    const use = this.#uses.get(key) ?? { writer: undefined, readers: new Set() };
    this.#uses.set(key, use);
    if (use.writer !== undefined) earlier.add(use.writer);
    use.readers.add(task);
  }

  #release(key: string, task: Promise<void>): void {
    const use = this.#uses.get(key);
    if (use === undefined) return;
    if (use.writer === task) use.writer = undefined;
    use.readers.delete(task);
    if (use.writer === undefined && use.readers.size === 0) this.#uses.delete(key);
  }

  /** The number of keys in use. */
  get size(): number {
    return this.#uses.size;
  }
}
