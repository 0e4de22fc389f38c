import type { Clock } from '../../lib/clock.ts';
import { textAt } from '../../lib/json-path.ts';
import type { InstanceFacts } from './instance-facts.ts';

/** Creation is stamped in whole seconds: a stamp is up to one older than the moment that it stands for. */
const stampMilliseconds = 2_000;

/**
 * How long instances take from their creation until they are Ready for the first time. A creation is stamped in whole
 * seconds, and most are Ready in a few milliseconds: the time runs from the moment at which the controller hears of a new
 * one. Only what came long before that, as during a restart, goes by its stamp.
 */
export class FirstReady {
  readonly #clock: Clock;
  readonly #onReady: (project: string, milliseconds: number) => void;
  /** Those that have not been Ready yet, by uid: when they came, by the clock that nobody sets; undefined: not counted. */
  readonly #came = new Map<string, number | undefined>();

  constructor(clock: Clock, onReady: (project: string, milliseconds: number) => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  /** The controller hears of it for the first time. */
  came(uid: string): void {
    this.#came.set(uid, this.#clock.elapsed());
  }

  forget(uid: string): void {
    this.#came.delete(uid);
  }

  /** A look at it has ended, and what it found is written. `facts` are those from before. */
  looked({ object, uid, project, external, importedUid }: InstanceFacts, phase: string): void {
    const came = this.#came.get(uid);
    // What is digested there is written together with the first Ready.
    const wasReady = textAt(object, 'status', 'deployHash') !== '';
    if (wasReady || external || importedUid !== '') {
      this.#came.delete(uid);
    } else if (phase === 'Sleeping' || textAt(object, 'status', 'phase') === 'Sleeping') {
      // It rests before it was ever used: how long is for people to say.
      this.#came.set(uid, undefined);
    } else if (phase === 'Ready') {
      this.#came.delete(uid);
      if (came === undefined) return;
      const sinceCame = this.#clock.elapsed() - came;
      const sinceCreated = this.#clock.now() - Date.parse(object.metadata.creationTimestamp ?? '');
      this.#onReady(project, sinceCreated - sinceCame > stampMilliseconds ? sinceCreated : sinceCame);
    }
  }
}
