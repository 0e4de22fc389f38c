import { Counter, Gauge, Registry } from 'prom-client';
import type { VersionInfo } from '../version.ts';
import { addProcessMetrics } from './process-metrics.ts';
import type { RequestLabels } from './request-labels.ts';
import { type Count, CounterTally, HistogramTally, type Measured } from './tally.ts';

const streamLabels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

/** Rule METRIC-03. The second histogram omits the two smallest. */
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
  /** The objects in the store, counted at each scrape. */
  storedObjects(): Iterable<ObjectCount>;
  /** The number of loaded virtual cluster planes and their approximate memory. Optional. */
  loadedPlanes?(): { readonly planes: number; readonly bytes: number };
  /** Further gauges, read at each scrape. */
  readonly gauges?: readonly { readonly name: string; readonly help: string; value(): number }[];
}

/** The metrics of a server (rules METRIC-01 to METRIC-05). Each server has its own; there is no global registry. */
export interface Metrics {
  readonly contentType: string;
  /** Returns the metrics in the Prometheus text format. */
  text(): Promise<string>;
  /** Records a response; for a stream, when its head is sent. */
  answered(labels: RequestLabels, code: number, seconds: number, bytes: number | undefined): void;
  /** Records the size of a response that was not known in advance. */
  sent(labels: RequestLabels, bytes: number): void;
  /** Adds to the number of executing requests. */
  inFlight(kind: 'mutating' | 'readOnly', change: 1 | -1): void;
  /** Counts an open stream until the returned function is called. */
  longRunning(labels: RequestLabels): () => void;
  /** Returns a function that records a watch event of the given size. */
  watchEvents(labels: RequestLabels): (bytes: number) => void;
  /** Records that the client disconnected, or was disconnected, before it got its response. */
  aborted(labels: RequestLabels): void;
  terminated(labels: RequestLabels, code: number): void;
}

/** The series of one label set. They are looked up once, by the identity of the labels (see RequestLabeller). */
interface ResponseSeries {
  readonly codes: Map<number, Count>;
  readonly sizes: Measured;
  /** Both are absent for watches. */
  readonly duration?: Measured;
  readonly sliDuration?: Measured;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const total = new CounterTally('apiserver_request_total', 'Number of requests, by labels and response code.');
  const duration = new HistogramTally(
    'apiserver_request_duration_seconds',
    'Response latency in seconds, without watches.',
    durationBuckets,
  );
  const sliDuration = new HistogramTally(
    'apiserver_request_sli_duration_seconds',
    'Response latency in seconds for service level indicators, without watches.',
    durationBuckets.slice(2),
  );
  const sizes = new HistogramTally('apiserver_response_sizes', 'Response size in bytes.', sizeBuckets);
  const events = new CounterTally('apiserver_watch_events_total', 'Number of events sent to watch clients.');
  const eventSizes = new HistogramTally(
    'apiserver_watch_events_sizes',
    'Size of watch events in bytes.',
    eventSizeBuckets,
  );
  const tallies = [total, duration, sliDuration, sizes, events, eventSizes];
  const seriesByLabels = new WeakMap<RequestLabels, ResponseSeries>();
  const createSeries = (labels: RequestLabels): ResponseSeries => ({
    codes: new Map(),
    sizes: sizes.line(withoutDryRun(labels)),
    ...(labels.verb === 'WATCH' ? {} : { duration: duration.line(labels), sliDuration: sliDuration.line(labels) }),
  });
  const executing = { mutating: 0, readOnly: 0 };
  new Gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Number of requests that are being executed.',
    labelNames: ['request_kind'],
    registers,
    collect() {
      for (const [request_kind, count] of Object.entries(executing)) this.set({ request_kind }, count);
    },
  });
  for (const { name, help, value } of options.gauges ?? []) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  }
  const longRunning = new Gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Number of open long-running requests.',
    labelNames: streamLabels,
    registers,
  });
  const aborts = new Counter({
    name: 'apiserver_request_aborts_total',
    help: 'Number of requests whose client disconnected before the response.',
    labelNames: streamLabels,
    registers,
  });
  const terminations = new Counter({
    name: 'apiserver_request_terminations_total',
    help: 'Number of requests that the server rejected or terminated in self-defense.',
    labelNames: [...streamLabels, 'code'],
    registers,
  });
  addObjectCounts(registry, options.storedObjects);
  if (options.loadedPlanes !== undefined) addLoadedPlanes(registry, options.loadedPlanes);
  addBuildInfo(registry, options.version);
  addProcessMetrics(registry);

  return {
    contentType: registry.contentType,
    async text() {
      return tallies.map((tally) => tally.text()).join('') + (await registry.metrics());
    },
    sent(labels, bytes) {
      seriesByLabels.get(labels)?.sizes.observe(bytes);
    },
    answered(labels, code, seconds, bytes) {
      const lines = seriesByLabels.get(labels) ?? getOrCreate(seriesByLabels, labels, () => createSeries(labels));
      const count =
        lines.codes.get(code) ?? getOrCreate(lines.codes, code, () => total.line({ ...labels, code: String(code) }));
      count.value++;
      if (bytes !== undefined) lines.sizes.observe(bytes);
      lines.duration?.observe(seconds);
      lines.sliDuration?.observe(seconds);
    },
    inFlight(kind, change) {
      executing[kind] += change;
    },
    longRunning(labels) {
      const stream = withoutDryRun(labels);
      longRunning.inc(stream);
      return onlyOnce(() => longRunning.dec(stream));
    },
    watchEvents({ group, version, resource }) {
      const count = events.line({ group, version, resource });
      const measured = eventSizes.line({ group, version, resource });
      return (bytes) => {
        count.value++;
        measured.observe(bytes);
      };
    },
    aborted: (labels) => aborts.inc(withoutDryRun(labels)),
    terminated: (labels, code) => terminations.inc({ ...withoutDryRun(labels), code: String(code) }),
  };
}

function withoutDryRun({ dry_run: _, ...labels }: RequestLabels): Omit<RequestLabels, 'dry_run'> {
  return labels;
}

/** A stream can end in more than one way; each is counted down once. */
function onlyOnce(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}

/** Returns the value of a key and creates it on first use. */
function getOrCreate<K, V>(
  entries: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const made = make();
  entries.set(key, made);
  return made;
}

function addLoadedPlanes(registry: Registry, loaded: NonNullable<MetricsOptions['loadedPlanes']>): void {
  new Gauge({
    name: 'flotilla_control_planes_loaded',
    help: 'Number of control planes of the built-in cluster and its virtual clusters that are loaded in memory.',
    registers: [registry],
    collect() {
      this.set(loaded().planes);
    },
  });
  new Gauge({
    name: 'flotilla_control_planes_loaded_bytes',
    help: 'Approximate memory of the loaded control planes in bytes.',
    registers: [registry],
    collect() {
      this.set(loaded().bytes);
    },
  });
}

/** Under the newer name and under the one that most dashboards still use (rule METRIC-05). */
function addObjectCounts(registry: Registry, storedObjects: MetricsOptions['storedObjects']): void {
  new Gauge({
    name: 'apiserver_resource_objects',
    help: 'Number of stored objects by resource.',
    labelNames: ['group', 'resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { group, resource, count } of storedObjects()) this.inc({ group, resource }, count);
    },
  });
  new Gauge({
    name: 'apiserver_storage_objects',
    help: 'Number of stored objects by resource.',
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
    help: 'Build information of this server; always 1.',
    labelNames: Object.keys(labels) as (keyof typeof labels)[],
    registers: [registry],
  }).set(labels, 1);
}
