import type { Clock } from '../clock.ts';
import { Span, type SpanKind, type SpanSink } from './span.ts';
import type { IncomingParent } from './trace-context.ts';

export interface TracerOptions {
  /** The share of requests and reconciles that are traced, from 0 to 1. */
  readonly sampleRatio: number;
  /** True if the sampling decision in the `traceparent` header of every caller counts. */
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
  /** True if the sampling decision of `parent` counts. Optional; defaults to false. */
  readonly isTrusted?: boolean;
  /** The times at which the work began, of both clocks. Optional; defaults to the current ones. */
  readonly started?: { readonly at: number; readonly elapsed: number };
}

/**
 * Decides which requests are traced. Without tracing, there is no tracer.
 *
 * The sampling decision of a caller counts only if the caller is trusted. Otherwise a tenant could have all of its
 * requests traced. The decision about other callers is random and does not depend on the trace ID, which they choose.
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
