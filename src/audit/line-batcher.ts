/** Size of the buffer, which is written when it is full: well over a hundred lines. */
const bufferBytes = 64 * 1024;
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const maxBytesPerUnit = 3;

export interface LineBatcherOptions {
  /**
   * Writes bytes to the operating system, synchronously or asynchronously. Throws or rejects on failure. The bytes are
   * valid only until it returns: an asynchronous implementation must copy them.
   */
  write(bytes: Buffer, lines: number): Promise<void> | undefined;
}

/** Determines how long a line waits for others. */
export type FlushPolicy =
  /** Until the next microtask, so that the responses of one group commit are logged together. */
  | 'microtask'
  /**
   * Until the end of the current tick of the event loop, or an earlier flush: for requests that arrived in the same
   * tick.
   */
  | 'tick';

/**
 * Batches lines: one system call and one promise for all of them. The promise resolves only after they were written. If
 * it rejects, none of them was written.
 */
export class LineBatcher {
  readonly #write: LineBatcherOptions['write'];
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes);
  #filled = 0;
  #lines = 0;
  #pending: PromiseWithResolvers | undefined;
  #isMicrotaskQueued = false;
  #isTickQueued = false;

  constructor({ write }: LineBatcherOptions) {
    this.#write = write;
  }

  /** Adds a complete line, including its newline. */
  add(text: string, policy: FlushPolicy): Promise<void> {
    const maxBytes = text.length * maxBytesPerUnit;
    if (maxBytes > bufferBytes - this.#filled) this.flush();
    if (maxBytes > bufferBytes) return this.#writeAlone(text);
    this.#filled += this.#buffer.write(text, this.#filled);
    this.#lines++;
    this.#pending ??= promiseWithResolvers();
    if (policy === 'tick') this.#flushAtEndOfTick();
    else this.#flushInMicrotask();
    return this.#pending.promise;
  }

  /** Writes the buffered lines immediately. */
  flush(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    const bytes = this.#buffer.subarray(0, this.#filled);
    const lines = this.#lines;
    this.#pending = undefined;
    this.#filled = 0;
    this.#lines = 0;
    try {
      pending.resolve(this.#write(bytes, lines));
    } catch (error) {
      pending.reject(error);
    }
  }

  async #writeAlone(text: string): Promise<void> {
    await this.#write(Buffer.from(text), 1);
  }

  #flushInMicrotask(): void {
    if (this.#isMicrotaskQueued) return;
    this.#isMicrotaskQueued = true;
    void resolved.then(() => {
      this.#isMicrotaskQueued = false;
      this.flush();
    });
  }

  #flushAtEndOfTick(): void {
    if (this.#isTickQueued) return;
    this.#isTickQueued = true;
    setImmediate(() => {
      this.#isTickQueued = false;
      this.flush();
    });
  }
}

const resolved = Promise.resolve();

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  resolve(outcome: Promise<void> | undefined): void;
  reject(error: unknown): void;
}

function promiseWithResolvers(): PromiseWithResolvers {
  let resolve: PromiseWithResolvers['resolve'] = () => {};
  let reject: PromiseWithResolvers['reject'] = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
