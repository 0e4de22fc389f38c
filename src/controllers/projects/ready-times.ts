import { mergeReadyDays, readyDayOf, readyOnce } from '../../api/management/time-to-ready.ts';
import type { ReadyDay } from '../../api/management/v1/project.ts';
import { StatusError } from '../../api/status.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { listAt } from '../../lib/json-path.ts';
import type { Log } from '../../lib/log.ts';

export interface ReadyTimesOptions {
  readonly projects: ResourceClient;
  readonly clock: Clock;
  readonly log: Log;
}

/** Counts how long virtual clusters took until they were Ready, in the status of their projects. */
export interface ReadyTimes {
  /** One is Ready. Only counts: it is written later, with others. */
  note(project: string, milliseconds: number): void;
  /** Writes what is not written yet. To be called when nobody notes any more. */
  stop(): Promise<void>;
}

/** The first of a while is shown soon, those that follow together. */
const firstWriteMilliseconds = 1_000;
const writeEveryMilliseconds = 30_000;

/** Somebody changes the project in the same moment; nobody does so for ever. */
const mostTries = 5;

/** Enough for writers to share a flush. */
const writesTogether = 32;

interface Gathered {
  days: ReadyDay[];
  cancel(): void;
}

/**
 * A project that had one has an entry until half a minute goes by without another, so there is at most one write of a
 * project in that time. A crash loses what was gathered since; nothing but a chart goes by it.
 */
export function startReadyTimes({ projects, clock, log }: ReadyTimesOptions): ReadyTimes {
  const gathered = new Map<string, Gathered>();
  const writing = new Set<Promise<void>>();
  let stopped = false;

  function note(project: string, milliseconds: number): void {
    const now = clock.now();
    const one = [readyOnce(readyDayOf(now), milliseconds)];
    const entry = gathered.get(project);
    if (entry !== undefined) entry.days = mergeReadyDays(now, entry.days, one);
    else gathered.set(project, { days: one, cancel: writeAfter(project, firstWriteMilliseconds) });
  }

  function writeAfter(project: string, milliseconds: number): () => void {
    return clock.after(milliseconds, () => {
      const entry = gathered.get(project);
      if (entry === undefined) return;
      if (entry.days.length === 0) {
        gathered.delete(project);
        return;
      }
      const done = write(project, entry).finally(() => {
        writing.delete(done);
        if (!stopped) entry.cancel = writeAfter(project, writeEveryMilliseconds);
      });
      writing.add(done);
    });
  }

  /** Never rejects. What could not be written is written with the next. */
  async function write(project: string, entry: Gathered): Promise<void> {
    const { days } = entry;
    entry.days = [];
    try {
      await add(project, days);
    } catch (error) {
      entry.days = mergeReadyDays(clock.now(), days, entry.days);
      log.warn({ project, error: String(error) }, 'how long virtual clusters took to be ready could not be written');
    }
  }

  async function add(name: string, days: readonly ReadyDay[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        const project = await projects.get({ name });
        const known = listAt(project, 'status', 'timeToReady') as unknown as ReadyDay[];
        const { resourceVersion = '' } = project.metadata;
        const timeToReady = mergeReadyDays(clock.now(), known, days);
        await projects.patchStatus({ name }, { metadata: { resourceVersion }, status: { timeToReady } });
        return;
      } catch (error) {
        const code = error instanceof StatusError ? error.code : undefined;
        // The project is gone, and its numbers with it.
        if (code === 404) return;
        if (code !== 409 || tries === mostTries) throw error;
      }
    }
  }

  return {
    note,
    async stop() {
      stopped = true;
      for (const entry of gathered.values()) entry.cancel();
      await Promise.all(writing);
      const left = [...gathered].filter(([, entry]) => entry.days.length > 0);
      gathered.clear();
      for (let start = 0; start < left.length; start += writesTogether) {
        await Promise.all(left.slice(start, start + writesTogether).map(([project, entry]) => write(project, entry)));
      }
    },
  };
}
