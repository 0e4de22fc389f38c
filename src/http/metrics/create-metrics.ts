import { Counter, Gauge, Registry } from 'prom-client';
import type { VersionInfo } from '../documents/version.ts';
import { addProcessMetrics } from './process-metrics.ts';
import type { RequestLabels } from './request-labels.ts';
import { ResponseMetrics, withoutDryRun } from './response-metrics.ts';
import {
  addBuildInfo,
  addGauge,
  addLabelledGauge,
  addLoadedPlanes,
  addObjectCounts,
  type LabelledGauge,
  type LoadedPlanes,
  type ObjectCount,
  type SimpleGauge,
} from './server-gauges.ts';

const streamLabels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

export interface MetricsOptions {
  readonly version: VersionInfo;
  /** Returns the number of stored objects per resource. Called at each scrape. */
  storedObjects(): Iterable<ObjectCount>;
  /** Returns the number and approximate memory of the virtual cluster planes that are loaded. Optional. */
  loadedPlanes?(): LoadedPlanes;
  /** Additional gauges, whose values are read at each scrape. Optional. */
  readonly gauges?: readonly SimpleGauge[];
  /** Additional gauges with a label. Optional. */
  readonly labelledGauges?: readonly LabelledGauge[];
}

/** The metrics of one server (rules METRIC-01 to METRIC-05). There is no global registry. */
export interface Metrics {
  readonly contentType: string;
  /** Returns the metrics in the Prometheus text format. */
  text(): Promise<string>;
  /** Records a response when its headers are ready. `bytes` is `undefined` if the size of the body is not known yet. */
  recordResponse(labels: RequestLabels, code: number, seconds: number, bytes: number | undefined): void;
  /** Records the size of a response that was still unknown at the time of `recordResponse`. */
  recordResponseSize(labels: RequestLabels, bytes: number): void;
  /** Adds `change` to the number of requests that are being executed. */
  changeInFlight(kind: 'mutating' | 'readOnly', change: 1 | -1): void;
  /** Counts a long-running request as open until the caller calls the returned function. */
  trackLongRunning(labels: RequestLabels): () => void;
  /**
   * Returns a function that records one watch event. The parameter of that function is the size of the event in bytes.
   */
  watchEventRecorder(labels: RequestLabels): (bytes: number) => void;
  /** Records that the connection of a request ended before the client received the response. */
  recordAbort(labels: RequestLabels): void;
  recordTermination(labels: RequestLabels, code: number): void;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const responses = new ResponseMetrics();
  const executing = { mutating: 0, readOnly: 0 };
  addExecuting(registry, executing);
  for (const gauge of options.gauges ?? []) addGauge(registry, gauge);
  for (const gauge of options.labelledGauges ?? []) addLabelledGauge(registry, gauge);
  const longRunning = new Gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Number of open long-running requests.',
    labelNames: streamLabels,
    registers: [registry],
  });
  const aborts = new Counter({
    name: 'apiserver_request_aborts_total',
    help: 'Number of requests whose client disconnected before the response.',
    labelNames: streamLabels,
    registers: [registry],
  });
  const terminations = new Counter({
    name: 'apiserver_request_terminations_total',
    help: 'Number of requests that the server rejected or terminated to protect itself.',
    labelNames: [...streamLabels, 'code'],
    registers: [registry],
  });
  addObjectCounts(registry, options.storedObjects);
  if (options.loadedPlanes !== undefined) addLoadedPlanes(registry, options.loadedPlanes);
  addBuildInfo(registry, options.version);
  addProcessMetrics(registry);

  return {
    contentType: registry.contentType,
    async text() {
      return responses.text() + (await registry.metrics());
    },
    recordResponseSize: (labels, bytes) => responses.recordResponseSize(labels, bytes),
    recordResponse: (labels, code, seconds, bytes) => responses.recordResponse(labels, code, seconds, bytes),
    changeInFlight(kind, change) {
      executing[kind] += change;
    },
    trackLongRunning(labels) {
      const stream = withoutDryRun(labels);
      longRunning.inc(stream);
      return onlyOnce(() => longRunning.dec(stream));
    },
    watchEventRecorder: (labels) => responses.watchEventRecorder(labels),
    recordAbort: (labels) => aborts.inc(withoutDryRun(labels)),
    recordTermination: (labels, code) => terminations.inc({ ...withoutDryRun(labels), code: String(code) }),
  };
}

function addExecuting(registry: Registry, executing: Readonly<Record<'mutating' | 'readOnly', number>>): void {
  new Gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Number of requests that are being executed.',
    labelNames: ['request_kind'],
    registers: [registry],
    collect() {
      for (const [request_kind, count] of Object.entries(executing)) this.set({ request_kind }, count);
    },
  });
}

/** Wraps a function so that only the first call runs it. A stream can end twice, for example by error and by close. */
function onlyOnce(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}
