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

/** Records in the status of projects how long their virtual clusters took to become Ready. */
export interface ReadyTimes {
  /** Records one duration. It is written later, together with others. */
  record(project: string, milliseconds: number): void;
  /** Writes everything that is pending. Must be called after the last `record`. */
  stop(): Promise<void>;
}

/** The first duration after a pause is written soon, the following ones together. */
const firstWriteMilliseconds = 1_000;
const writeEveryMilliseconds = 30_000;

/** Attempts to write while other writers modify the project. */
const maxAttempts = 5;

/** The number of concurrent writes. This many share group commits. */
const writeBatchSize = 32;

interface PendingDays {
  days: ReadyDay[];
  cancel(): void;
}

/**
 * A project has an entry until half a minute passes without a new duration, so each project is written at most once in
 * that time. A crash loses the pending durations, which only a chart uses.
 */
export function startReadyTimes({ projects, clock, log }: ReadyTimesOptions): ReadyTimes {
  const pending = new Map<string, PendingDays>();
  const writing = new Set<Promise<void>>();
  let stopped = false;

  function note(project: string, milliseconds: number): void {
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

  /** Never rejects. Durations that cannot be written stay pending. */
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
        // The project is deleted, and its statistics with it.
        if (code === 404) return;
        if (code !== 409 || attempt === maxAttempts) throw error;
      }
    }
  }

  return {
    record: note,
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
