/** What is gathered before it is written whatever happens: well over a hundred lines. */
const roomBytes = 64 * 1024;
/** No character of a text takes more bytes. */
const bytesOfCharacter = 3;

export interface GatheredLinesOptions {
  /**
   * Hands bytes to the operating system, at once or by a promise; throws or rejects where it cannot. Whoever needs them
   * after it has returned copies them.
   */
  write(bytes: Buffer, lines: number): Promise<void> | undefined;
}

/** How long a line waits for others. */
export type Patience =
  /** For those who have one at this very moment, before anything else is done: answers of one commit come together. */
  | 'moment'
  /** For those whose requests came in the same turn of the event loop, or for the end of a moment in it. */
  | 'turn';

/**
 * Lines that are written together: one call of the operating system for all of them, and one promise for all who wait. It
 * resolves once they were handed over, never before; where it rejects, none of them was.
 */
export class GatheredLines {
  readonly #write: GatheredLinesOptions['write'];
  readonly #room = Buffer.allocUnsafeSlow(roomBytes);
  #filled = 0;
  #lines = 0;
  #share: PromiseWithResolvers | undefined;
  #isMomentOpen = false;
  #isTurnOpen = false;

  constructor({ write }: GatheredLinesOptions) {
    this.#write = write;
  }

  /** A whole line, with its end. */
  add(text: string, patience: Patience): Promise<void> {
    const most = text.length * bytesOfCharacter;
    if (most > roomBytes - this.#filled) this.flush();
    if (most > roomBytes) return this.#writeAlone(text);
    this.#filled += this.#room.write(text, this.#filled);
    this.#lines++;
    this.#share ??= promiseWithResolvers();
    if (patience === 'turn') this.#openTurn();
    else this.#openMoment();
    return this.#share.promise;
  }

  /** Writes what is there, whoever it waits for. */
  flush(): void {
    const share = this.#share;
    if (share === undefined) return;
    const bytes = this.#room.subarray(0, this.#filled);
    const lines = this.#lines;
    this.#share = undefined;
    this.#filled = 0;
    this.#lines = 0;
    try {
      share.resolve(this.#write(bytes, lines));
    } catch (error) {
      share.reject(error);
    }
  }

  async #writeAlone(text: string): Promise<void> {
    await this.#write(Buffer.from(text), 1);
  }

  #openMoment(): void {
    if (this.#isMomentOpen) return;
    this.#isMomentOpen = true;
    void now.then(() => {
      this.#isMomentOpen = false;
      this.flush();
    });
  }

  #openTurn(): void {
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    setImmediate(() => {
      this.#isTurnOpen = false;
      this.flush();
    });
  }
}

const now = Promise.resolve();

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  resolve(outcome: Promise<void> | undefined): void;
  reject(error: unknown): void;
}

function promiseWithResolvers(): PromiseWithResolvers {
  let resolve: PromiseWithResolvers['resolve'] = () => {};
  let reject: PromiseWithResolvers['reject'] = () => {};
  const promise = new Promise<void>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return { promise, resolve, reject };
}
