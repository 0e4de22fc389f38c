import { turnsHad } from '../lib/turns.ts';

/** To write to so many who watch takes the thread as long as several writes. */
const manyReaders = 8;
/** Milliseconds: about as long as those who were answered take to write again. */
const longFlush = 4;
/** Of so many flushes the quickest counts: the others have waited for the processor as well. */
const remembered = 16;

/** What a batch costs whoever is in it: to bring it to the disk, and to those who watch. */
export class BatchCost {
  #read = turnsHad();
  readonly #flushes = new Array<number>(remembered).fill(0);
  #next = 0;

  /** The disk has taken so many milliseconds. */
  flushed(milliseconds: number): void {
    this.#flushes[this.#next] = milliseconds;
    this.#next = (this.#next + 1) % remembered;
  }

  /** Asked once for each batch, when those who watch have been written to: they are counted from the last time on. */
  isHigh(): boolean {
    const before = this.#read;
    this.#read = turnsHad();
    return this.#read - before >= manyReaders || Math.min(...this.#flushes) >= longFlush;
  }
}
