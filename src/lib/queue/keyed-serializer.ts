/** Runs tasks with the same name one after the other, and tasks with different names concurrently. */
export class KeyedSerializer {
  readonly #lastTasks = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#lastTasks.get(name) ?? Promise.resolve();
    const running = previous.then(work, work);
    this.#lastTasks.set(name, running);
    try {
      return await running;
    } finally {
      if (this.#lastTasks.get(name) === running) this.#lastTasks.delete(name);
    }
  }

  /** The number of names that have a running or waiting task. */
  get size(): number {
    return this.#lastTasks.size;
  }
}
