import type { Clock } from '../../lib/clock.ts';
import { textAt } from '../../lib/json-path.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceActivity } from './instance-needs.ts';
import type { SleepMode } from './sleep-mode.ts';

/** How often the last use of an instance is written: where something depends on it, and where it is only shown. */
const writeEveryMilliseconds = 60_000;
const showEveryMilliseconds = 5 * 60_000;

interface Note {
  /** Each use is of interest: the next one wakes it. */
  readonly asleep: boolean;
  readonly everyMilliseconds: number;
  /** By the clock that nobody sets. */
  toldAt: number;
}

/**
 * Whose use is of interest: of those that sleep each one at once, of those that may fall asleep one in a minute, of all
 * others one in five. What nobody uses has no note.
 */
export class ActivityNotes {
  readonly #activity: InstanceActivity;
  readonly #clock: Clock;
  readonly #notes = new Map<string, Note>();

  constructor(activity: InstanceActivity, clock: Clock) {
    this.#activity = activity;
    this.#clock = clock;
  }

  /** `isWritten`: the last use is written with this look. */
  note({ uid }: InstanceFacts, mode: SleepMode, isWritten: boolean): void {
    if (mode.lastActivity === undefined) {
      this.#notes.delete(uid);
      return;
    }
    const now = this.#clock.elapsed();
    const toldAt = isWritten ? now : (this.#notes.get(uid)?.toldAt ?? now);
    const asleep = mode.dependsOnUse && mode.asleep !== undefined;
    this.#notes.set(uid, { asleep, everyMilliseconds: intervalOf(mode), toldAt });
  }

  forget(uid: string): void {
    this.#notes.delete(uid);
  }

  /** `onUse` says whether there is such an instance. Settles when the signal fires. */
  async follow(onUse: (uid: string) => boolean, signal: AbortSignal): Promise<void> {
    const stop = this.#activity.onActivity((uid) => {
      const now = this.#clock.elapsed();
      const note = this.#notes.get(uid);
      if (note === undefined) {
        // Those that come until it was looked at say nothing new.
        if (onUse(uid)) this.#notes.set(uid, { asleep: false, everyMilliseconds: showEveryMilliseconds, toldAt: now });
        return;
      }
      if (!note.asleep && now - note.toldAt < note.everyMilliseconds) return;
      note.toldAt = now;
      onUse(uid);
    });
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    stop();
  }
}

/** Whether what the status says of the last use is too far from what is known. */
export function isActivityStale({ object }: InstanceFacts, mode: SleepMode): boolean {
  if (mode.lastActivity === undefined) return false;
  const noted = Date.parse(textAt(object, 'status', 'lastActivity'));
  if (Number.isNaN(noted)) return true;
  const isWoken = mode.asleep === undefined && textAt(object, 'status', 'phase') === 'Sleeping';
  return isWoken || Math.abs(mode.lastActivity - noted) >= intervalOf(mode);
}

function intervalOf({ dependsOnUse }: SleepMode): number {
  return dependsOnUse ? writeEveryMilliseconds : showEveryMilliseconds;
}
