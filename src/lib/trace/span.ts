import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { formatTraceparent, type SpanContext } from './trace-context.ts';

/** `server` for a request from a client, `client` for a request to another system, `internal` for all other work. */
export type SpanKind = 'server' | 'client' | 'internal';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span that has ended, as plain data that can be sent to another thread. */
export interface FinishedSpan extends SpanContext {
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  readonly hasFailed: boolean;
}

/** Receives spans when they end. Must be fast and must not throw. */
export type SpanSink = (span: FinishedSpan) => void;

/** The clock and the sink that all spans of a request or of a reconcile share. */
export interface SpanRecorder {
  readonly clock: Pick<Clock, 'elapsed'>;
  /**
   * The wall-clock time at which `clock.elapsed()` was 0. The value does not change, so the times of all spans are
   * consistent with each other.
   */
  readonly epoch: number;
  readonly sink: SpanSink;
}

export interface SpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  /** The span that contains the new span, possibly on another thread or in another system. */
  readonly parent?: SpanContext | undefined;
  /** The value of `clock.elapsed()` at the start of the span. Optional; defaults to the current value. */
  readonly startedElapsed?: number;
}

/**
 * The maximum length of an attribute value; longer values are truncated. Clients choose some values, such as the user
 * agent.
 */
const maxValueLength = 256;

/**
 * A piece of work in a trace. Only sampled work has spans, so tracing adds no work to anything else. Code that can be
 * traced has an optional span and creates children with `span?.child(…)`.
 */
export class Span implements SpanContext {
  readonly traceId: string;
  readonly spanId = newId(8);
  readonly #recorder: SpanRecorder;
  readonly #options: SpanOptions;
  readonly #startedElapsed: number;
  readonly #attributes: Record<string, string | number | boolean> = {};
  #hasEnded = false;

  constructor(recorder: SpanRecorder, options: SpanOptions) {
    this.#recorder = recorder;
    this.#options = options;
    this.#startedElapsed = options.startedElapsed ?? recorder.clock.elapsed();
    this.traceId = options.parent?.traceId ?? newId(16);
  }

  child(name: string, kind: SpanKind = 'internal'): Span {
    return new Span(this.#recorder, { name, kind, parent: this });
  }

  set(name: string, value: string | number | boolean): this {
    this.#attributes[name] = typeof value === 'string' ? value.slice(0, maxValueLength) : value;
    return this;
  }

  /**
   * The `traceparent` header for a request to another system. With this header, the request becomes a part of this
   * span.
   */
  get traceparent(): string {
    return formatTraceparent(this, true);
  }

  /** The ids of this span, to be sent to another thread. */
  get context(): SpanContext {
    return { traceId: this.traceId, spanId: this.spanId };
  }

  /** Adds spans of this trace that ended on another thread. */
  adopt(spans: Iterable<FinishedSpan>): void {
    for (const span of spans) this.#recorder.sink(span);
  }

  /** Ends the span. `result` can give it a final name. Only the first call has an effect. */
  end(result: { readonly hasFailed?: boolean; readonly name?: string } = {}): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { clock, epoch, sink } = this.#recorder;
    const { name, kind, parent } = this.#options;
    sink({
      traceId: this.traceId,
      spanId: this.spanId,
      parentSpanId: parent?.spanId,
      name: result.name ?? name,
      kind,
      startedAt: epoch + this.#startedElapsed,
      endedAt: epoch + clock.elapsed(),
      attributes: this.#attributes,
      hasFailed: result.hasFailed ?? false,
    });
  }
}

/** Ends the span when `result` settles, and returns `result`. The span has failed if `result` rejects. */
export function endSpanWith<T>(span: Span | undefined, result: Promise<T>): Promise<T> {
  if (span !== undefined) {
    result.then(
      () => span.end(),
      () => span.end({ hasFailed: true }),
    );
  }
  return result;
}

function newId(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
