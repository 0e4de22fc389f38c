/** A response that is being sent. */
interface MonitoredResponse {
  /** The amount of data that the client has not read. */
  readonly writableLength: number;
  destroy(): unknown;
}

/** A monitored response. */
interface Monitored {
  readonly response: MonitoredResponse;
  readonly bytesWritten: () => number;
  previouslyRead: number | undefined;
  stalledChecks: number;
}

/** Checks per timeout: a stalled client is disconnected at most a quarter of the timeout late. */
const checksPerTimeout = 4;

/**
 * Disconnects clients that read nothing of their pending data for the timeout, because they would hold its memory
 * forever. One timer checks all responses. Nearly all of them are complete before the first check, so a timer for each
 * would be wasted.
 */
export class StalledReaderMonitor {
  readonly #milliseconds: number;
  readonly #monitored = new Set<Monitored>();
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /**
   * `bytesWritten` returns the total amount written, in the unit of `writableLength`; the difference is what the client
   * has read. The pending amount alone is not enough: if bookmarks are sent at the interval of the checks, it is the
   * same at each check. Returns a function that stops monitoring.
   */
  watch(response: MonitoredResponse, bytesWritten: () => number): () => void {
    const monitored: Monitored = { response, bytesWritten, previouslyRead: undefined, stalledChecks: 0 };
    this.#monitored.add(monitored);
    this.#timer ??= setInterval(() => this.#check(), this.#milliseconds / checksPerTimeout).unref();
    return () => this.#monitored.delete(monitored);
  }

  #check(): void {
    for (const monitored of this.#monitored) {
      const pending = monitored.response.writableLength;
      const bytesRead = monitored.bytesWritten() - pending;
      monitored.stalledChecks = pending > 0 && bytesRead === monitored.previouslyRead ? monitored.stalledChecks + 1 : 0;
      monitored.previouslyRead = pending > 0 ? bytesRead : undefined;
      if (monitored.stalledChecks < checksPerTimeout) continue;
      this.#monitored.delete(monitored);
      monitored.response.destroy();
    }
    if (this.#monitored.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
