/** The positions in the shared memory: a counter that grows while the worker is alive, then the ID of a plane. */
const beatIndex = 0;
const lengthIndex = 1;
const textOffset = 8;
/** The maximum length of a plane ID. */
const maxIdLength = 120;

const heartbeatMs = 100;

/**
 * Memory that a worker shares with the main thread. The main thread reads it to find out whether the worker still
 * returns to its event loop, and which plane it works for. A worker that is stuck cannot answer messages.
 */
export class WorkerActivity {
  readonly #numbers: Int32Array;
  readonly #text: Uint8Array;
  #plane = '';

  static newMemory(): SharedArrayBuffer {
    return new SharedArrayBuffer(textOffset + maxIdLength);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#numbers = new Int32Array(memory, 0, 2);
    this.#text = new Uint8Array(memory, textOffset, maxIdLength);
  }

  /** Called by the worker: counts the returns to its event loop, until the returned function is called. */
  startHeartbeat(): () => void {
    const timer = setInterval(() => Atomics.add(this.#numbers, beatIndex, 1), heartbeatMs);
    return () => clearInterval(timer);
  }

  /** A number that changes while the worker returns to its event loop. */
  get beat(): number {
    return Atomics.load(this.#numbers, beatIndex);
  }

  /** Called by the worker before it works for a plane. */
  setPlane(id: string): void {
    if (id === this.#plane) return;
    this.#plane = id;
    const length = Math.min(id.length, maxIdLength);
    for (let at = 0; at < length; at++) this.#text[at] = id.charCodeAt(at);
    Atomics.store(this.#numbers, lengthIndex, length);
  }

  /** The plane that the worker has worked for last. Read by the main thread while the worker is stuck. */
  get plane(): string {
    const length = Atomics.load(this.#numbers, lengthIndex);
    return String.fromCharCode(...this.#text.subarray(0, length));
  }
}
