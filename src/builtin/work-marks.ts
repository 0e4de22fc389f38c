import { listAt, numberAt, parseTrustedJson, textAt } from '@flotilla/json';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Key } from '../store/key.ts';
import type { Store } from '../store/store.ts';

/** Describes this process as one of several that share the store. */
export interface MarkingServer {
  readonly id: string;
  /** Returns the IDs of the other running servers. */
  others(): Promise<readonly string[]>;
}

export interface WorkMarksOptions {
  readonly store: Pick<Store, 'list' | 'transact'>;
  /** The first segment of the keys of all rows with marks. */
  readonly subject: 'planes' | 'templates';
  /** Optional; without it, no other process uses the store. */
  readonly server?: MarkingServer | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The record of a piece of work that ended its thread or took long. `WorkMarks` stores such marks. */
export interface WorkMark {
  /** The times at which the work ended its thread, or was in progress when the server ended. */
  readonly incidents: readonly number[];
  /** The reason why the work is not tried again. Absent if it is tried again. */
  readonly failure?: string | undefined;
}

interface StoredMark extends WorkMark {
  /**
   * The time at which the current run of the work began, and the server that runs it. Absent if the work is not in
   * progress.
   */
  readonly inProgress?: { readonly since: number; readonly server: string } | undefined;
}

/** The slice with the marks of work that may end a thread or the server. Its rows are unlogged. */
export const workMarksSlice = 'work-marks';
/** The maximum number of marks per subject. The oldest are removed first. */
const maxMarks = 1_000;
/**
 * Marks older than this are removed when the server starts. Work that failed once is therefore tried again a day later.
 */
const maxAgeMs = 24 * 60 * 60_000;
const onlyServer: MarkingServer = { id: 'only', others: async () => [] };

/**
 * Durable marks of work that may end its thread or the whole server. If a thread does not return to its event loop for
 * some time, the main thread writes a mark, and removes the mark when the thread returns. Short work therefore causes
 * no writes. A mark that is found when the server starts belongs to work that was in progress when the server last
 * ended.
 */
export class WorkMarks {
  /** The IDs of the work that was in progress when the server ended. For each ID, an incident was added to the mark. */
  readonly interrupted: readonly string[];
  readonly #options: WorkMarksOptions;
  readonly #marks: Map<string, StoredMark>;
  readonly #writes = new Set<Promise<void>>();

  private constructor(options: WorkMarksOptions, marks: Map<string, StoredMark>, interrupted: readonly string[]) {
    this.#options = options;
    this.#marks = marks;
    this.interrupted = interrupted;
  }

  /** Reads the marks that the last server process stored. */
  static async open(options: WorkMarksOptions): Promise<WorkMarks> {
    const { store, subject, clock, server = onlyServer } = options;
    const { entries } = await store.list({ slice: workMarksSlice, prefix: [subject] });
    const found = entries.map(({ key, value }) => ({ id: key.segments[1] ?? '', mark: decodeMark(value) }));
    const isUsed = found.some(({ mark }) => mark.inProgress !== undefined);
    const running = new Set(isUsed ? await server.others() : []);
    const marks = new Map<string, StoredMark>();
    const interrupted: string[] = [];
    const expired: string[] = [];
    for (const { id, mark } of found.sort((a, b) => lastTime(a.mark) - lastTime(b.mark))) {
      const { inProgress, incidents } = mark;
      if (inProgress !== undefined && running.has(inProgress.server)) continue;
      if (clock.now() - lastTime(mark) > maxAgeMs) {
        expired.push(id);
        continue;
      }
      if (inProgress !== undefined) interrupted.push(id);
      marks.set(id, { ...mark, incidents: inProgress ? [...incidents, inProgress.since] : incidents });
    }
    const opened = new WorkMarks(options, marks, interrupted);
    for (const id of expired) void opened.#write(id, undefined);
    return opened;
  }

  get(id: string): WorkMark | undefined {
    return this.#marks.get(id);
  }

  /** Records that the work is in progress and takes long. */
  begin(id: string): void {
    const { clock, subject, server = onlyServer, log } = this.#options;
    const { incidents = [], failure } = this.#marks.get(id) ?? {};
    const stored = this.#set(id, { incidents, failure, inProgress: { since: clock.now(), server: server.id } });
    void stored.then(() => log.debug({ [subject]: id }, 'recorded work that takes long'));
  }

  /** Records that the work is no longer in progress. Earlier incidents remain. */
  finish(id: string): void {
    const mark = this.#marks.get(id);
    if (mark?.inProgress === undefined) return;
    const { incidents, failure } = mark;
    if (incidents.length === 0 && failure === undefined) this.remove(id);
    else void this.#set(id, { incidents, failure });
  }

  /**
   * Records that the work has ended its thread. `failure` is the reason why the work is not tried again; absent if it
   * is tried again.
   */
  addIncident(id: string, failure?: string): void {
    const { incidents = [] } = this.#marks.get(id) ?? {};
    void this.#set(id, { incidents: [...incidents, this.#options.clock.now()].slice(-maxIncidents), failure });
  }

  /** Removes the mark of work that has succeeded, or of an object that no longer exists. */
  remove(id: string): void {
    if (this.#marks.delete(id)) void this.#write(id, undefined);
  }

  /** Resolves after all changes are stored. The store must stay open until then. */
  async close(): Promise<void> {
    await Promise.all(this.#writes);
  }

  #set(id: string, mark: StoredMark): Promise<void> {
    // Move the mark to the end, so that the first mark of the Map is always the oldest.
    this.#marks.delete(id);
    this.#marks.set(id, mark);
    const stored = this.#write(id, encodeMark(mark));
    for (const oldest of this.#marks.keys()) {
      if (this.#marks.size <= maxMarks) break;
      this.remove(oldest);
    }
    return stored;
  }

  /** Writes of the same row are applied in the order of the calls. */
  #write(id: string, value: string | undefined): Promise<void> {
    const { store, subject, log } = this.#options;
    const key: Key = { slice: workMarksSlice, segments: [subject, id] };
    const write = store.transact({ writes: [{ key, value, unlogged: true }] }).then(
      () => {},
      // Log the error and continue: a full disk must not stop the work.
      (error: unknown) => log.warn({ [subject]: id, error: String(error) }, 'could not record work that takes long'),
    );
    this.#writes.add(write);
    void write.finally(() => this.#writes.delete(write));
    return write;
  }
}

/** The maximum number of incidents in a mark. */
const maxIncidents = 10;

function lastTime({ incidents, inProgress }: StoredMark): number {
  return inProgress?.since ?? incidents.at(-1) ?? 0;
}

function encodeMark({ incidents, failure, inProgress }: StoredMark): string {
  return JSON.stringify({ incidents, failure, ...inProgress });
}

function decodeMark(text: string): StoredMark {
  const row = parseTrustedJson(text);
  const since = numberAt(row, 'since');
  return {
    incidents: listAt(row, 'incidents').filter((time) => typeof time === 'number'),
    failure: textAt(row, 'failure') || undefined,
    ...(since === undefined ? {} : { inProgress: { since, server: textAt(row, 'server') } }),
  };
}
