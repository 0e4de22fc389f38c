import { StatusError } from '../../../src/api/status.ts';
import type { FetchedResponse, HttpRequest } from '../../../src/client/send-request.ts';
import { backoffDelay } from '../../../src/lib/backoff.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { wait } from '../../../src/lib/wait.ts';
import { LogBuffer, type LogChunk, type LogLine } from './log-buffer.ts';
import { compareTimes, LineDecoder, parseLogLine } from './log-lines.ts';

/**
 * The state of a log: `live` while lines arrive, `ended` after the last line, `interrupted` until the connection is
 * restored.
 */
export type LogState = 'loading' | 'live' | 'ended' | 'interrupted' | 'refused';

export interface LogSnapshot {
  readonly state: LogState;
  readonly chunks: readonly LogChunk[];
  readonly lineCount: number;
  /** The number of lines that were received and dropped, because the buffer is limited. */
  readonly dropped: number;
  /** The error that caused the state `interrupted` or `refused`. */
  readonly error: unknown;
}

export interface LogRequestOptions {
  /** The URL of the log subresource, with query parameters that select the container. */
  readonly url: string;
  /** True to wait for new lines. */
  readonly follow: boolean;
  /** True for the log of the previous run of the container. */
  readonly previous: boolean;
  /** The number of lines at the end of the log that are read first. */
  readonly tailLines: number;
}

export interface LogStreamOptions extends LogRequestOptions {
  readonly clock: Clock;
  send(request: HttpRequest): Promise<FetchedResponse>;
  /** Called when an established stream breaks, before it is resumed. */
  onBroken?(error: unknown): void;
}

/** The interval in milliseconds at which new lines are shown. Users do not notice more frequent updates. */
const updateIntervalMs = 100;

/**
 * The delays before a broken stream is resumed: at least three seconds. During the delay, the page learns whether the
 * virtual cluster fell asleep. A sleeping virtual cluster must not be woken, so the stream is then not resumed.
 */
const retry = { initialMilliseconds: 6_000, maxMilliseconds: 20_000 };

/**
 * The log of a container. It is read as long as there are subscribers. A broken stream is resumed from the time of the
 * last line, so no line is lost or shown twice.
 */
export class LogStream {
  readonly #options: LogStreamOptions;
  readonly #buffer = new LogBuffer();
  readonly #listeners = new Set<() => void>();
  #state: LogState = 'loading';
  #error: unknown;
  #snapshot: LogSnapshot = { state: 'loading', chunks: [], lineCount: 0, dropped: 0, error: undefined };
  #update: (() => void) | undefined;
  #reading: AbortController | undefined;
  #lastTime = '';
  /**
   * The number of received lines that have the same time as the last line. A resumed stream sends these lines again.
   */
  #sameTime = 0;

  constructor(options: LogStreamOptions) {
    this.#options = options;
  }

  readonly get = (): LogSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#reading === undefined && this.#state !== 'ended' && this.#state !== 'refused') this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  };

  /** Resumes the log after the last line. */
  readonly resume = (): void => {
    this.#stop();
    if (this.#listeners.size > 0) this.#start();
  };

  #start(): void {
    const reading = new AbortController();
    this.#reading = reading;
    if (this.#state !== 'interrupted') this.#setState('loading');
    void this.#read(reading.signal);
  }

  #stop(): void {
    this.#reading?.abort();
    this.#reading = undefined;
    this.#update?.();
    this.#update = undefined;
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { clock, onBroken } = this.#options;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const before = this.#buffer.lineCount + this.#buffer.dropped;
      try {
        await this.#readOnce(signal);
        if (!signal.aborted) this.#setState('ended');
        return;
      } catch (error) {
        if (signal.aborted) return;
        onBroken?.(error);
        if (isFinal(error)) return this.#setState('refused', error);
        this.#setState('interrupted', error);
        if (this.#buffer.lineCount + this.#buffer.dropped > before) failures = 1;
      }
      await wait(clock, backoffDelay(failures, retry), signal);
    }
  }

  async #readOnce(signal: AbortSignal): Promise<void> {
    const { send } = this.#options;
    const response = await send({ method: 'GET', url: this.#url(), accept: '*/*', signal });
    this.#setState('live');
    if (response.body === null) return;
    const resumedFrom = this.#lastTime;
    let repeated = this.#sameTime;
    const isNew = ({ time }: LogLine) => {
      if (resumedFrom === '' || time === '') return true;
      const order = compareTimes(time, resumedFrom);
      if (order !== 0) return order > 0;
      // Several lines can have exactly the time from which the log is resumed. Skips as many of them as were already
      // received.
      repeated -= 1;
      return repeated < 0;
    };
    const decoder = new LineDecoder();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        const texts = done ? decoder.end() : decoder.decode(value);
        this.#append(texts.map(parseLogLine).filter(isNew));
        if (done) return;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  #url(): string {
    const { url, follow, previous, tailLines } = this.#options;
    // Times are always requested, because a broken stream is resumed from the last line's time.
    const query = new URLSearchParams({ timestamps: 'true' });
    if (follow) query.set('follow', 'true');
    if (previous) query.set('previous', 'true');
    if (this.#lastTime === '') query.set('tailLines', String(tailLines));
    else query.set('sinceTime', this.#lastTime);
    return `${url}${url.includes('?') ? '&' : '?'}${query}`;
  }

  #append(lines: readonly LogLine[]): void {
    if (lines.length === 0) return;
    for (const { time } of lines) {
      if (time === '') continue;
      this.#sameTime = time === this.#lastTime ? this.#sameTime + 1 : 1;
      this.#lastTime = time;
    }
    this.#buffer.append(lines);
    this.#show();
  }

  #setState(state: LogState, error?: unknown): void {
    this.#state = state;
    this.#error = error;
    this.#show();
  }

  #show(): void {
    this.#update ??= this.#options.clock.after(updateIntervalMs, () => {
      this.#update = undefined;
      const { chunks, lineCount, dropped } = this.#buffer;
      this.#snapshot = { state: this.#state, chunks, lineCount, dropped, error: this.#error };
      for (const listener of this.#listeners) listener();
    });
  }
}

/** True if a retry would fail with the same error. */
function isFinal(error: unknown): boolean {
  return error instanceof StatusError && error.code >= 400 && error.code < 500 && error.code !== 429;
}
