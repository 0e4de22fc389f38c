import type { TaskRunner } from './maintenance-task.ts';

/** The planes in which maintenance tasks are running. */
export class ActivePlanes {
  readonly #tasks = new Map<string, number>();

  /** Wraps a task runner so that the tasks of the returned runner are recorded. */
  recording(runTask: TaskRunner): TaskRunner {
    return async (planeId, task, fence) => {
      this.#tasks.set(planeId, (this.#tasks.get(planeId) ?? 0) + 1);
      try {
        return await runTask(planeId, task, fence);
      } finally {
        const left = (this.#tasks.get(planeId) ?? 1) - 1;
        if (left === 0) this.#tasks.delete(planeId);
        else this.#tasks.set(planeId, left);
      }
    };
  }

  has(matches: (planeId: string) => boolean): boolean {
    return [...this.#tasks.keys()].some(matches);
  }
}
