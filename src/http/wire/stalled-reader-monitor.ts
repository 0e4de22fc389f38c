/** The part of a response that the monitor uses. */
interface MonitoredResponse {
  /** The number of bytes or characters that have been written but not sent to the client yet. */
  readonly writableLength: number;
  destroy(): unknown;
}

/** A response with the state of its previous check. */
interface Monitored {
  readonly response: MonitoredResponse;
  readonly bytesWritten: () => number;
  previouslyRead: number | undefined;
  stalledChecks: number;
}

/** The number of checks per timeout. A stalled client is disconnected at most a quarter of the timeout too late. */
const checksPerTimeout = 4;

/**
 * Disconnects each client that reads nothing of its pending response during the timeout, because the memory of the
 * response would never be freed. One timer checks all responses. One timer per response would be wasteful, because
 * nearly all responses are complete before the first check.
 */
export class StalledReaderMonitor {
  readonly #milliseconds: number;
  readonly #monitored = new Set<Monitored>();
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /**
   * Starts to monitor a response. Returns a function that stops monitoring. `bytesWritten` returns the amount that was
   * written so far, in the unit of `writableLength`, so the client has read `bytesWritten() - writableLength`.
   * Comparing only `writableLength` is not enough: if the server sends a bookmark between two checks, `writableLength`
   * can be equal at both checks although the client reads.
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
