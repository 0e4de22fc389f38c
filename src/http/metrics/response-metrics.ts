import { type CounterSeries, FastCounter, FastHistogram, type HistogramSeries } from './fast-metrics.ts';
import type { RequestLabels } from './request-labels.ts';

/** Upper bounds of the latency buckets in seconds (rule METRIC-03). `sliDuration` omits the two smallest bounds. */
const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sizeBuckets = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const eventSizeBuckets = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];

/**
 * The metric series for one set of labels. They are looked up by the label object itself, because equal labels are
 * always the same object.
 */
interface ResponseSeries {
  readonly codes: Map<number, CounterSeries>;
  readonly sizes: HistogramSeries;
  /** Response latency. `duration` and `sliDuration` are `undefined` for watches. */
  readonly duration?: HistogramSeries;
  readonly sliDuration?: HistogramSeries;
}

/** The metrics about responses and watch events: counts, latencies and sizes. */
export class ResponseMetrics {
  readonly #total = new FastCounter('apiserver_request_total', 'Number of requests, by labels and response code.');
  readonly #duration = new FastHistogram(
    'apiserver_request_duration_seconds',
    'Response latency in seconds, without watches.',
    durationBuckets,
  );
  readonly #sliDuration = new FastHistogram(
    'apiserver_request_sli_duration_seconds',
    'Response latency in seconds for service level indicators, without watches.',
    durationBuckets.slice(2),
  );
  readonly #sizes = new FastHistogram('apiserver_response_sizes', 'Response size in bytes.', sizeBuckets);
  readonly #events = new FastCounter('apiserver_watch_events_total', 'Number of events sent to watch clients.');
  readonly #eventSizes = new FastHistogram(
    'apiserver_watch_events_sizes',
    'Size of watch events in bytes.',
    eventSizeBuckets,
  );
  readonly #series = new WeakMap<RequestLabels, ResponseSeries>();

  /** Returns the metrics in the Prometheus text format. */
  text(): string {
    const tallies = [this.#total, this.#duration, this.#sliDuration, this.#sizes, this.#events, this.#eventSizes];
    return tallies.map((tally) => tally.text()).join('');
  }

  /** Records a response. `bytes` is `undefined` if the size is not known yet; `recordResponseSize` records it later. */
  recordResponse(labels: RequestLabels, code: number, seconds: number, bytes: number | undefined): void {
    const series = this.#series.get(labels) ?? this.#addSeries(labels);
    const count = series.codes.get(code) ?? this.#addCode(series, labels, code);
    count.value++;
    if (bytes !== undefined) series.sizes.observe(bytes);
    series.duration?.observe(seconds);
    series.sliDuration?.observe(seconds);
  }

  /** Records the size of a response that was still unknown when the response was recorded. */
  recordResponseSize(labels: RequestLabels, bytes: number): void {
    this.#series.get(labels)?.sizes.observe(bytes);
  }

  /**
   * Returns a function that records one watch event. The parameter of that function is the size of the event in bytes.
   */
  watchEventRecorder({ group, version, resource }: RequestLabels): (bytes: number) => void {
    const count = this.#events.series({ group, version, resource });
    const measured = this.#eventSizes.series({ group, version, resource });
    return (bytes) => {
      count.value++;
      measured.observe(bytes);
    };
  }

  #addSeries(labels: RequestLabels): ResponseSeries {
    const series: ResponseSeries = {
      codes: new Map(),
      sizes: this.#sizes.series(withoutDryRun(labels)),
      ...(labels.verb === 'WATCH'
        ? {}
        : { duration: this.#duration.series(labels), sliDuration: this.#sliDuration.series(labels) }),
    };
    this.#series.set(labels, series);
    return series;
  }

  #addCode({ codes }: ResponseSeries, labels: RequestLabels, code: number): CounterSeries {
    const count = this.#total.series({ ...labels, code: String(code) });
    codes.set(code, count);
    return count;
  }
}

export function withoutDryRun({ dry_run: _, ...labels }: RequestLabels): Omit<RequestLabels, 'dry_run'> {
  return labels;
}
