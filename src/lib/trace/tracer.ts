import type { Clock } from '../clock.ts';
import { Span, type SpanKind, type SpanSink } from './span.ts';
import type { IncomingParent } from './trace-context.ts';

export interface TracerOptions {
  /** The share of requests and reconciles that are traced, from 0 to 1. */
  readonly sampleRatio: number;
  /** True if the sampling decision in the `traceparent` header is followed for every caller. */
  readonly trustsCallers: boolean;
  readonly clock: Clock;
  readonly sink: SpanSink;
  /** Returns a random number from 0 to 1. Optional; tests replace it. */
  random?(): number;
}

export interface RootSpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  /** The span of the caller. Optional. */
  readonly parent?: IncomingParent | undefined;
  /** True if the sampling decision of `parent` is followed. Optional; defaults to false. */
  readonly isTrusted?: boolean;
  /**
   * The start of the work: `at` on the wall clock and `elapsed` on the monotonic clock. Optional; defaults to the
   * current times.
   */
  readonly started?: { readonly at: number; readonly elapsed: number };
}

/**
 * Decides which requests are traced. If tracing is off, there is no Tracer.
 *
 * The sampling decision of a caller is followed only if the caller is trusted. Otherwise a tenant could have all of its
 * requests traced. For all other callers the decision is random. It does not depend on the trace ID, because callers
 * choose the trace ID.
 */
export class Tracer {
  readonly #options: TracerOptions;
  readonly #random: () => number;

  constructor(options: TracerOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** Starts the first span of this process for a piece of work. Returns `undefined` if the work is not traced. */
  start({ name, kind, parent, isTrusted = false, started }: RootSpanOptions): Span | undefined {
    const { trustsCallers, sampleRatio, clock, sink } = this.#options;
    const isSampled =
      parent !== undefined && (isTrusted || trustsCallers) ? parent.isSampled : this.#random() < sampleRatio;
    if (!isSampled) return undefined;
    const { at, elapsed } = started ?? { at: clock.now(), elapsed: clock.elapsed() };
    return new Span({ clock, epoch: at - elapsed, sink }, { name, kind, parent, startedElapsed: elapsed });
  }
}
