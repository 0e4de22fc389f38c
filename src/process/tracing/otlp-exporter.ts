import { readFile } from 'node:fs/promises';
import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { PostError, type PostResponse, postBytes } from '../../lib/post-bytes.ts';
import { errorCode } from '../../lib/private-file.ts';
import { BoundedQueue } from '../../lib/queue/bounded-queue.ts';
import type { FinishedSpan } from '../../lib/trace/span.ts';
import { wait } from '../../lib/wait.ts';
import { decodeRejectedSpans, encodeSpans, type SpanSource } from './otlp-encoding.ts';
import type { TracingSettings } from './tracing-settings.ts';

export interface OtlpExporterOptions {
  readonly settings: TracingSettings & { readonly endpoint: string };
  readonly source: SpanSource;
  readonly clock: Clock;
  readonly log: Log;
  /** The maximum number of spans that wait to be sent. Optional; defaults to 4096, about 4 MB. */
  readonly capacity?: number;
}

/** The number of sent spans, and the numbers of dropped spans by reason. */
export interface ExportCounts {
  exported: number;
  readonly dropped: Record<DropReason, number>;
}

/**
 * `queue_full`: spans arrived faster than the receiver accepted them. `rejected`: the receiver refused the spans.
 * `not_sent`: the spans could not be sent in several attempts, or before the server stopped.
 */
type DropReason = 'queue_full' | 'rejected' | 'not_sent';

const batchSize = 512;
const batchMilliseconds = 5_000;
/** The time limit for one request. */
const sendMilliseconds = 10_000;
/** The time limit for the last requests when the server stops. */
const lastSendMilliseconds = 2_000;
/** After this many attempts, a batch is dropped, because newer spans are more useful than old ones. */
const maxAttempts = 5;
const backoff = { initialMilliseconds: 1_000, maxMilliseconds: 30_000 };
/** The longest time that the server waits because of a Retry-After header. */
const maxRetryAfterMilliseconds = 60_000;
/** The status codes after which the protocol permits sending the same spans again. */
const retryableCodes: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Thrown for a response that permits sending the same spans again. */
class RetryError extends Error {
  readonly milliseconds: number | undefined;

  constructor(message: string, milliseconds?: number) {
    super(message);
    this.milliseconds = milliseconds;
  }
}

/**
 * Sends spans to a receiver of the OpenTelemetry protocol, in batches, one request at a time. `add` never waits: if the
 * receiver is slow or does not respond, spans are dropped and counted.
 */
export class OtlpExporter {
  readonly counts: ExportCounts = { exported: 0, dropped: { queue_full: 0, rejected: 0, not_sent: 0 } };
  readonly #options: OtlpExporterOptions;
  readonly #queue: BoundedQueue<FinishedSpan>;
  /** Ends waits. */
  readonly #closing = new AbortController();
  /** When the server stops, aborts a request that takes too long. */
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #wake: (() => void) | undefined;
  #isFailing = false;

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
    this.#queue = new BoundedQueue(options.capacity ?? 4096);
    this.#running = this.#run();
  }

  add(span: FinishedSpan): void {
    if (!this.#queue.push(span)) this.counts.dropped.queue_full++;
    else if (this.#queue.length >= batchSize) this.#wake?.();
  }

  /** Sends the waiting spans, if the receiver accepts them within two seconds. */
  async close(): Promise<void> {
    this.#closing.abort();
    const cancel = this.#options.clock.after(lastSendMilliseconds, () => this.#stopping.abort());
    await this.#running;
    const last = this.#takeBatch(Number.POSITIVE_INFINITY);
    if (last.length > 0) await this.#send(last).catch(() => this.#drop('not_sent', last.length));
    cancel();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#batchDue(signal);
      while (!signal.aborted && this.#queue.length > 0) {
        const batch = this.#takeBatch(batchSize);
        await this.#sendWithRetries(batch);
        if (this.#queue.length < batchSize) break;
      }
    }
  }

  /** Resolves when a batch is full or some time has passed. */
  async #batchDue(signal: AbortSignal): Promise<void> {
    if (this.#queue.length >= batchSize) return;
    const full = new AbortController();
    this.#wake = () => full.abort();
    await wait(this.#options.clock, batchMilliseconds, AbortSignal.any([signal, full.signal]));
    this.#wake = undefined;
  }

  #takeBatch(most: number): FinishedSpan[] {
    const batch: FinishedSpan[] = [];
    while (batch.length < most) {
      const span = this.#queue.take();
      if (span === undefined) break;
      batch.push(span);
    }
    return batch;
  }

  async #sendWithRetries(batch: readonly FinishedSpan[]): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#send(batch);
        this.#isFailing = false;
        return;
      } catch (error) {
        const isLast = attempt >= maxAttempts || signal.aborted || !(error instanceof RetryError);
        if (isLast) this.#drop('not_sent', batch.length);
        this.#warn(error);
        if (isLast) return;
        await wait(clock, error.milliseconds ?? backoffDelay(attempt, backoff), signal);
      }
    }
  }

  /** Sends one request. Rejects with RetryError if the same spans can be sent again. */
  async #send(batch: readonly FinishedSpan[]): Promise<void> {
    const { settings, source } = this.#options;
    const { caFile, certFile, keyFile, headersFile } = settings;
    const [ca, cert, key, headers] = await Promise.all([
      readSettingFile('caFile', caFile),
      readSettingFile('certFile', certFile),
      readSettingFile('keyFile', keyFile),
      readSettingFile('headersFile', headersFile),
    ]);
    const response = await postBytes({
      url: new URL(settings.endpoint),
      headers: { 'content-type': 'application/x-protobuf', 'user-agent': 'flotilla-traces', ...parseHeaders(headers) },
      body: encodeSpans(source, batch),
      tls: { ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert }), ...(key && { key }) },
      milliseconds: sendMilliseconds,
      signal: this.#stopping.signal,
    }).catch((error: unknown) => {
      throw error instanceof PostError ? new RetryError(error.message) : error;
    });
    this.#count(response, batch.length);
  }

  #count({ status, headers, body }: PostResponse, sent: number): void {
    if (retryableCodes.has(status)) throw new RetryError(`the receiver responded with ${status}`, retryAfter(headers));
    if (status < 200 || status > 299) {
      this.#drop('rejected', sent);
      this.#warn(new Error(`the receiver responded with ${status}`));
      return;
    }
    const rejected = Math.min(sent, rejectedSpans(body));
    this.counts.exported += sent - rejected;
    this.#drop('rejected', rejected);
  }

  #drop(reason: DropReason, spans: number): void {
    this.counts.dropped[reason] += spans;
  }

  /** Logs the first of several failures in a row. */
  #warn(error: unknown): void {
    if (this.#isFailing || this.#closing.signal.aborted) return;
    this.#isFailing = true;
    const { message } = error instanceof Error ? error : new Error(String(error));
    this.#options.log.warn({ error: message }, 'cannot send traces');
  }
}

async function readSettingFile(setting: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return await readFile(path, 'utf8').catch((error: unknown) => {
    throw new RetryError(`tracing.${setting}: cannot read ${path} (${errorCode(error) ?? 'unknown error'})`);
  });
}

/** Parses lines of `name: value`. The error does not contain the line, which can be a secret. */
function parseHeaders(text: string | undefined): Record<string, string> {
  const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  const headers: Record<string, string> = {};
  for (const [index, line] of lines.entries()) {
    const [, name, value] = /^([\w-]+):[ \t]*([\x20-\x7e]+?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new RetryError(`tracing.headersFile: line ${index + 1} must be a header name, a colon and a value`);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function retryAfter(headers: PostResponse['headers']): number | undefined {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds * 1_000, maxRetryAfterMilliseconds) : undefined;
}

function rejectedSpans(body: Uint8Array): number {
  try {
    return decodeRejectedSpans(body);
  } catch {
    // If a receiver responds with 200, it has accepted the spans, even if the format of the body is unknown.
    return 0;
  }
}
