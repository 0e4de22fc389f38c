import { nativeThreadId, threadCpuSeconds } from './thread-cpu-time.ts';

/**
 * The indexes in the shared memory: of a counter that grows as long as the thread is alive, of the ID that the
 * operating system has for the thread, and of the name of a task.
 */
const beatIndex = 0;
const lengthIndex = 1;
const nativeIdIndex = 2;
const textOffset = 12;
/** The maximum length of the name of a task. */
const maxNameLength = 120;

const heartbeatMs = 100;

/**
 * Memory that a thread shares with the main thread. The main thread reads in it whether the thread still returns to its
 * event loop, and which task is current. Messages cannot be used for this purpose, because a stuck thread does not
 * answer them.
 */
export class ThreadActivity {
  readonly #numbers: Int32Array;
  readonly #text: Uint8Array;
  #task = '';

  static newMemory(): SharedArrayBuffer {
    return new SharedArrayBuffer(textOffset + maxNameLength);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#numbers = new Int32Array(memory, 0, 3);
    this.#text = new Uint8Array(memory, textOffset, maxNameLength);
  }

  /** Called by the thread: counts the returns to its event loop, until the returned function is called. */
  startHeartbeat(): () => void {
    Atomics.store(this.#numbers, nativeIdIndex, nativeThreadId());
    const beat = () => Atomics.add(this.#numbers, beatIndex, 1);
    // The first heartbeat is sent at once, because the thread may get stuck before its first timer fires. It shows that
    // the code of the thread is loaded.
    beat();
    const timer = setInterval(beat, heartbeatMs);
    return () => clearInterval(timer);
  }

  /** A number that changes when the thread returns to its event loop or begins a task. */
  get beat(): number {
    return Atomics.load(this.#numbers, beatIndex);
  }

  /**
   * The CPU time that the thread has used, in seconds. If the operating system does not report it, this is the CPU time
   * of the whole process, which is at least as high.
   */
  get cpuSeconds(): number {
    return threadCpuSeconds(Atomics.load(this.#numbers, nativeIdIndex));
  }

  /**
   * Called by the thread before it begins or continues a task. The call also counts as a heartbeat, because it shows
   * that the thread is not stuck in an earlier task.
   */
  setTask(name: string): void {
    Atomics.add(this.#numbers, beatIndex, 1);
    if (name === this.#task) return;
    this.#task = name;
    const length = Math.min(name.length, maxNameLength);
    for (let at = 0; at < length; at++) this.#text[at] = name.charCodeAt(at);
    Atomics.store(this.#numbers, lengthIndex, length);
  }

  /** The task that the thread began last. Read by the main thread while the thread is stuck. */
  get task(): string {
    const length = Atomics.load(this.#numbers, lengthIndex);
    return String.fromCharCode(...this.#text.subarray(0, length));
  }
}
