/**
 * The size of the line buffer, which is written as soon as it is full. The buffer has space for more than a hundred
 * audit lines.
 */
const bufferBytes = 64 * 1024;
/** The maximum number of UTF-8 bytes per UTF-16 code unit of a string. */
const maxBytesPerUnit = 3;

export interface LineBatcherOptions {
  /**
   * Writes the bytes of `lines` complete lines to the operating system. Returns `undefined` after a synchronous write
   * and a promise for an asynchronous one. Throws or rejects on failure. The caller reuses the buffer, so an
   * asynchronous implementation must copy the bytes before it returns.
   */
  write(bytes: Buffer, lines: number): Promise<void> | undefined;
}

/** Determines how long a line waits in the buffer, so that the lines after it can be part of the same write. */
export type FlushPolicy =
  /** The line waits until the next microtask. Responses of one group commit are logged in one write. */
  | 'microtask'
  /**
   * The line waits until the end of the current tick of the event loop, or until another line causes an earlier write.
   * Requests that arrive in the same tick are logged in one write.
   */
  | 'tick';

/**
 * Collects lines in a buffer and writes them with one system call. All lines of one write share one promise, which
 * resolves after the write. If the promise rejects, none of these lines was written.
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

  /** Adds a line, which must end with a newline. Resolves after the line was written. */
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

  /** Writes all buffered lines immediately. */
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
