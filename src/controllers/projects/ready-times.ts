import { mergeReadyDays, readyDayOf, singleReadyDay } from '../../api/management/time-to-ready.ts';
import type { projectKind, ReadyDay } from '../../api/management/v1/project.ts';
import type { FieldsOf } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

export interface ReadyTimesOptions {
  readonly projects: ResourceClient<FieldsOf<typeof projectKind>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Records in each project's status how long its virtual clusters took to become Ready. */
export interface ReadyTimeRecorder {
  /** Records one duration. Several durations are written together later. */
  record(project: string, milliseconds: number): void;
  /** Writes all pending durations. `record` must not be called afterwards. */
  stop(): Promise<void>;
}

/**
 * The delays, in milliseconds, after which durations of a project are written: `firstWriteMilliseconds` for the first
 * duration, and `writeEveryMilliseconds` for durations that are collected later.
 */
const firstWriteMilliseconds = 1_000;
const writeEveryMilliseconds = 30_000;

/** Maximum number of attempts to write if other writers modify the project at the same time. */
const maxAttempts = 5;

/** Maximum number of concurrent writes. Concurrent writes share group commits. */
const writeBatchSize = 32;

interface PendingDays {
  days: ReadyDay[];
  cancel(): void;
}

/**
 * Starts to record durations. After a write, further durations of the project are collected for 30 seconds, so each
 * project is written at most once in 30 seconds. A crash loses the pending durations. That is acceptable because the
 * durations are used only for a chart.
 */
export function startReadyTimeRecorder({ projects, clock, log }: ReadyTimesOptions): ReadyTimeRecorder {
  const pending = new Map<string, PendingDays>();
  const writing = new Set<Promise<void>>();
  let stopped = false;

  function record(project: string, milliseconds: number): void {
    const now = clock.now();
    const one = [singleReadyDay(readyDayOf(now), milliseconds)];
    const entry = pending.get(project);
    if (entry !== undefined) entry.days = mergeReadyDays(now, entry.days, one);
    else pending.set(project, { days: one, cancel: writeAfter(project, firstWriteMilliseconds) });
  }

  function writeAfter(project: string, milliseconds: number): () => void {
    return clock.after(milliseconds, () => {
      const entry = pending.get(project);
      if (entry === undefined) return;
      if (entry.days.length === 0) {
        pending.delete(project);
        return;
      }
      const done = write(project, entry).finally(() => {
        writing.delete(done);
        if (!stopped) entry.cancel = writeAfter(project, writeEveryMilliseconds);
      });
      writing.add(done);
    });
  }

  /** Writes the pending durations of a project. Never rejects: durations that cannot be written remain pending. */
  async function write(project: string, entry: PendingDays): Promise<void> {
    const { days } = entry;
    entry.days = [];
    try {
      await add(project, days);
    } catch (error) {
      entry.days = mergeReadyDays(clock.now(), days, entry.days);
      log.warn({ project, error: String(error) }, 'cannot write the time to ready of virtual clusters');
    }
  }

  async function add(name: string, days: readonly ReadyDay[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const project = await projects.get({ name });
        const existing = project.status?.timeToReady ?? [];
        const { resourceVersion = '' } = project.metadata;
        const timeToReady = mergeReadyDays(clock.now(), existing, days);
        await projects.patchStatus({ name }, { metadata: { resourceVersion }, status: { timeToReady } });
        return;
      } catch (error) {
        const code = error instanceof StatusError ? error.code : undefined;
        // The project is deleted, so its statistics are not needed.
        if (code === 404) return;
        if (code !== 409 || attempt === maxAttempts) throw error;
      }
    }
  }

  return {
    record,
    async stop() {
      stopped = true;
      for (const entry of pending.values()) entry.cancel();
      await Promise.all(writing);
      const unwritten = [...pending].filter(([, entry]) => entry.days.length > 0);
      pending.clear();
      for (let start = 0; start < unwritten.length; start += writeBatchSize) {
        await Promise.all(
          unwritten.slice(start, start + writeBatchSize).map(([project, entry]) => write(project, entry)),
        );
      }
    },
  };
}
