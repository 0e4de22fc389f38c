/**
 * The maximum number of bytes that wait for the terminal. The limit is needed because a command can write faster than a
 * browser can draw.
 */
const maxWaiting = 8 * 1024 * 1024;

/**
 * Writes the output of a command to a terminal. If too much output waits, further output is skipped and replaced by a
 * notice.
 */
export class OutputQueue {
  readonly #write: (data: Uint8Array | string, done: () => void) => void;
  #waiting = 0;
  #skipped = 0;

  /** `write` calls `done` when the terminal has processed the data. */
  constructor(write: (data: Uint8Array | string, done: () => void) => void) {
    this.#write = write;
  }

  push(bytes: Uint8Array): void {
    if (this.#waiting + bytes.length > maxWaiting) {
      this.#skipped += bytes.length;
      return;
    }
    this.#waiting += bytes.length;
    this.#write(bytes, () => {
      this.#waiting -= bytes.length;
      if (this.#skipped === 0 || this.#waiting > maxWaiting / 2) return;
      const kilobytes = Math.ceil(this.#skipped / 1024);
      this.#skipped = 0;
      this.#write(
        `\r\n[${kilobytes} kB of output skipped: the command writes faster than this page can show]\r\n`,
        () => {},
      );
    });
  }
}
