import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { VersionInfo } from '../version.ts';
import { addProcessMetrics } from './process-metrics.ts';
import type { RequestLabels } from './request-labels.ts';

const requestLabels = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const streamLabels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const kindLabels = ['group', 'version', 'resource'] as const;

/** Rule METRIC-03; the second histogram leaves out the two smallest. */
const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sizeBuckets = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const eventSizeBuckets = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];

export interface ObjectCount {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
}

export interface MetricsOptions {
  readonly version: VersionInfo;
  /** What lies in the store, asked for at each scrape. */
  storedObjects(): Iterable<ObjectCount>;
}

/** What the server counts (rules METRIC-01 to METRIC-05). Every server has its own: nothing is global. */
export interface Metrics {
  readonly contentType: string;
  /** Prometheus text. */
  text(): Promise<string>;
  /** A request has been answered; of a stream, its head. */
  answered(labels: RequestLabels, code: number, seconds: number, bytes: number | undefined): void;
  /** A request is being worked on, until the returned function is called. */
  inFlight(kind: 'mutating' | 'readOnly'): () => void;
  /** A stream is open, until the returned function is called. */
  longRunning(labels: RequestLabels): () => void;
  /** So many events, of so many bytes in all, were sent to a watcher. */
  watchEvents(labels: RequestLabels, events: number, bytes: number): void;
  /** The client went away, or was sent away, before it had its answer. */
  aborted(labels: RequestLabels): void;
  terminated(labels: RequestLabels, code: number): void;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const total = new Counter({
    name: 'apiserver_request_total',
    help: 'Requests that were answered.',
    labelNames: [...requestLabels, 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'How long answers took; watches are not counted.',
    labelNames: requestLabels,
    buckets: durationBuckets,
    registers,
  });
  const sliDuration = new Histogram({
    name: 'apiserver_request_sli_duration_seconds',
    help: 'How long answers took, for service level indicators.',
    labelNames: requestLabels,
    buckets: durationBuckets.slice(2),
    registers,
  });
  const sizes = new Histogram({
    name: 'apiserver_response_sizes',
    help: 'Bytes of answers.',
    labelNames: streamLabels,
    buckets: sizeBuckets,
    registers,
  });
  const inFlight = new Gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Requests that are being worked on.',
    labelNames: ['request_kind'],
    registers,
  });
  for (const request_kind of ['mutating', 'readOnly']) inFlight.set({ request_kind }, 0);
  const longRunning = new Gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Streams that are open.',
    labelNames: streamLabels,
    registers,
  });
  const events = new Counter({
    name: 'apiserver_watch_events_total',
    help: 'Events that were sent to watchers.',
    labelNames: kindLabels,
    registers,
  });
  const eventSizes = new Histogram({
    name: 'apiserver_watch_events_sizes',
    help: 'Bytes of watch events.',
    labelNames: kindLabels,
    buckets: eventSizeBuckets,
    registers,
  });
  const aborts = new Counter({
    name: 'apiserver_request_aborts_total',
    help: 'Requests whose client went away before the answer.',
    labelNames: streamLabels,
    registers,
  });
  const terminations = new Counter({
    name: 'apiserver_request_terminations_total',
    help: 'Requests that the server refused or gave up to protect itself.',
    labelNames: [...streamLabels, 'code'],
    registers,
  });
  addObjectCounts(registry, options.storedObjects);
  addBuildInfo(registry, options.version);
  addProcessMetrics(registry);

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    answered(labels, code, seconds, bytes) {
      total.inc({ ...labels, code: String(code) });
      if (bytes !== undefined) sizes.observe(withoutDryRun(labels), bytes);
      if (labels.verb === 'WATCH') return;
      duration.observe(labels, seconds);
      sliDuration.observe(labels, seconds);
    },
    inFlight(request_kind) {
      inFlight.inc({ request_kind });
      return once(() => inFlight.dec({ request_kind }));
    },
    longRunning(labels) {
      const stream = withoutDryRun(labels);
      longRunning.inc(stream);
      return once(() => longRunning.dec(stream));
    },
    watchEvents({ group, version, resource }, count, bytes) {
      if (count === 0) return;
      events.inc({ group, version, resource }, count);
      // What comes in one piece is measured as so many events of the same size.
      for (let event = 0; event < count; event++) eventSizes.observe({ group, version, resource }, bytes / count);
    },
    aborted: (labels) => aborts.inc(withoutDryRun(labels)),
    terminated: (labels, code) => terminations.inc({ ...withoutDryRun(labels), code: String(code) }),
  };
}

function withoutDryRun({ dry_run: _, ...labels }: RequestLabels): Omit<RequestLabels, 'dry_run'> {
  return labels;
}

/** Streams end in more than one way; each counts down once. */
function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}

/** Under the newer name and under the one that most dashboards still ask for (rule METRIC-05). */
function addObjectCounts(registry: Registry, storedObjects: MetricsOptions['storedObjects']): void {
  new Gauge({
    name: 'apiserver_resource_objects',
    help: 'Stored objects by kind.',
    labelNames: ['group', 'resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { group, resource, count } of storedObjects()) this.inc({ group, resource }, count);
    },
  });
  new Gauge({
    name: 'apiserver_storage_objects',
    help: 'Stored objects by kind.',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { group, resource, count } of storedObjects()) {
        this.inc({ resource: group === '' ? resource : `${resource}.${group}` }, count);
      }
    },
  });
}

function addBuildInfo(registry: Registry, version: VersionInfo): void {
  const labels = {
    major: version.major,
    minor: version.minor,
    git_version: version.gitVersion,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    build_date: version.buildDate,
    go_version: version.goVersion,
    compiler: version.compiler,
    platform: version.platform,
  };
  new Gauge({
    name: 'kubernetes_build_info',
    help: 'What this server is; always 1.',
    labelNames: Object.keys(labels) as (keyof typeof labels)[],
    registers: [registry],
  }).set(labels, 1);
}
