import type { Clock } from '../../lib/clock.ts';
import { textAt } from '../../lib/json-path.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceActivity } from './instance-needs.ts';
import type { SleepMode } from './sleep-mode.ts';

/** How often the last use of an instance is written. */
const writeEveryMilliseconds = 60_000;

interface Note {
  readonly asleep: boolean;
  /** By the clock that nobody sets. */
  toldAt: number;
}

/** Whose use is of interest: of those that sleep each one at once, of those that may fall asleep one in a minute. */
export class ActivityNotes {
  readonly #activity: InstanceActivity;
  readonly #clock: Clock;
  readonly #notes = new Map<string, Note>();

  constructor(activity: InstanceActivity, clock: Clock) {
    this.#activity = activity;
    this.#clock = clock;
  }

  note({ uid }: InstanceFacts, { asleep, lastActivity }: SleepMode): void {
    if (lastActivity === undefined) this.#notes.delete(uid);
    else this.#notes.set(uid, { asleep: asleep !== undefined, toldAt: this.#clock.elapsed() });
  }

  forget(uid: string): void {
    this.#notes.delete(uid);
  }

  /** Settles when the signal fires. */
  async follow(onUse: (uid: string) => void, signal: AbortSignal): Promise<void> {
    const stop = this.#activity.onActivity((uid) => {
      const note = this.#notes.get(uid);
      if (note === undefined) return;
      const now = this.#clock.elapsed();
      if (!note.asleep && now - note.toldAt < writeEveryMilliseconds) return;
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
export function isActivityStale({ object }: InstanceFacts, { asleep, lastActivity }: SleepMode): boolean {
  const noted = textAt(object, 'status', 'lastActivity');
  if (lastActivity === undefined || noted === '') return (noted !== '') !== (lastActivity !== undefined);
  const isWoken = asleep === undefined && textAt(object, 'status', 'phase') === 'Sleeping';
  return isWoken || Math.abs(lastActivity - Date.parse(noted)) >= writeEveryMilliseconds;
}
