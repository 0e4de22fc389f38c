import { Line, type Place } from '../lib/line.ts';
import { PriorityHeap } from '../lib/priority-heap.ts';

interface Source {
  readonly name: string;
  readonly guests: Line<() => void>;
}

/**
 * Those who may be sent away when room is needed: first the one who has been there longest of the source that has most
 * of them, so that no source can crowd out another.
 */
export class FairRoom {
  readonly #sources = new Map<string, Source>();
  readonly #crowds = new PriorityHeap<Source>((one, other) => other.guests.length - one.guests.length);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** `sendAway` is called at most once, when it is this one who has to go. Returns how it leaves by itself. */
  enter(sourceName: string, sendAway: () => void): () => void {
    const source = this.#sources.get(sourceName) ?? { name: sourceName, guests: new Line() };
    this.#sources.set(sourceName, source);
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      this.#size--;
      this.#leave(source, place);
    };
    const place: Place<() => void> = source.guests.join(() => {
      leave();
      sendAway();
    });
    this.#size++;
    this.#crowds.add(source);
    this.#crowds.moved(source);
    return leave;
  }

  /** False: there is nobody to be sent away. */
  sendOneAway(): boolean {
    const first = this.#crowds.first?.guests.first;
    first?.();
    return first !== undefined;
  }

  #leave(source: Source, place: Place<() => void>): void {
    source.guests.leave(place);
    if (source.guests.length > 0) {
      this.#crowds.moved(source);
      return;
    }
    this.#crowds.remove(source);
    this.#sources.delete(source.name);
  }
}
