import type { Duplex } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { ByteCounts } from '../lib/web-socket-stream.ts';

/** A transfer that is smaller than this between two measurements is not representative. */
const minimumBytes = 256 * 1024;

/**
 * Measures the throughput of a connection from its real transfers. It sends no data of its own. Only sockets and the
 * streams of WebSockets count their bytes, so other connections report no throughput.
 */
export class ThroughputMeter {
  readonly #counts: ByteCounts | undefined;
  readonly #clock: Pick<Clock, 'elapsed'>;
  #last: { readonly time: number; readonly received: number; readonly sent: number };
  /** The highest throughput between two measurements, in bytes per second. */
  peak: number | undefined;

  constructor(connection: Duplex, clock: Pick<Clock, 'elapsed'>) {
    this.#counts = countsBytes(connection) ? connection : undefined;
    this.#clock = clock;
    this.#last = this.#now();
  }

  measure(): void {
    const [before, now] = [this.#last, this.#now()];
    this.#last = now;
    const seconds = (now.time - before.time) / 1000;
    const bytes = Math.max(now.received - before.received, now.sent - before.sent);
    if (seconds <= 0 || bytes < minimumBytes) return;
    this.peak = Math.max(this.peak ?? 0, bytes / seconds);
  }

  #now() {
    const { bytesRead: received = 0, bytesWritten: sent = 0 } = this.#counts ?? {};
    return { time: this.#clock.elapsed(), received, sent };
  }
}

function countsBytes(connection: Duplex): connection is Duplex & ByteCounts {
  return 'bytesRead' in connection && 'bytesWritten' in connection;
}
