import { Counter, Gauge, Registry } from 'prom-client';
import type { VersionInfo } from '../version.ts';
import { addProcessMetrics } from './process-metrics.ts';
import type { RequestLabels } from './request-labels.ts';
import { type Count, CounterTally, HistogramTally, type Measured } from './tally.ts';

const streamLabels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

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
  /** Virtual clusters in memory, and about how many bytes they take. Absent: the server has none. */
  loadedPlanes?(): { readonly planes: number; readonly bytes: number };
  /** What else is to be told at each scrape. */
  readonly gauges?: readonly { readonly name: string; readonly help: string; value(): number }[];
}

/** What the server counts (rules METRIC-01 to METRIC-05). Every server has its own: nothing is global. */
export interface Metrics {
  readonly contentType: string;
  /** Prometheus text. */
  text(): Promise<string>;
  /** A request has been answered; of a stream, its head. */
  answered(labels: RequestLabels, code: number, seconds: number, bytes: number | undefined): void;
  /** Of an answer whose size was not known when it stood: what was made of it. */
  sent(labels: RequestLabels, bytes: number): void;
  /** One request more is being worked on, or one less. */
  inFlight(kind: 'mutating' | 'readOnly', change: 1 | -1): void;
  /** A stream is open, until the returned function is called. */
  longRunning(labels: RequestLabels): () => void;
  /** Returns how to tell that an event of so many bytes goes to a watcher. */
  watchEvents(labels: RequestLabels): (bytes: number) => void;
  /** The client went away, or was sent away, before it had its answer. */
  aborted(labels: RequestLabels): void;
  terminated(labels: RequestLabels, code: number): void;
}

/** Where answers with the same labels are counted: labels are found once, by their identity (see RequestLabeller). */
interface AnswerLines {
  readonly codes: Map<number, Count>;
  readonly sizes: Measured;
  /** Both absent for watches. */
  readonly duration?: Measured;
  readonly sliDuration?: Measured;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const total = new CounterTally('apiserver_request_total', 'Requests that were answered.');
  const duration = new HistogramTally(
    'apiserver_request_duration_seconds',
    'How long answers took; watches are not counted.',
    durationBuckets,
  );
  const sliDuration = new HistogramTally(
    'apiserver_request_sli_duration_seconds',
    'How long answers took, for service level indicators.',
    durationBuckets.slice(2),
  );
  const sizes = new HistogramTally('apiserver_response_sizes', 'Bytes of answers.', sizeBuckets);
  const events = new CounterTally('apiserver_watch_events_total', 'Events that were sent to watchers.');
  const eventSizes = new HistogramTally('apiserver_watch_events_sizes', 'Bytes of watch events.', eventSizeBuckets);
  const tallies = [total, duration, sliDuration, sizes, events, eventSizes];
  const answers = new WeakMap<RequestLabels, AnswerLines>();
  const answerLines = (labels: RequestLabels): AnswerLines => ({
    codes: new Map(),
    sizes: sizes.line(withoutDryRun(labels)),
    ...(labels.verb === 'WATCH' ? {} : { duration: duration.line(labels), sliDuration: sliDuration.line(labels) }),
  });
  const flying = { mutating: 0, readOnly: 0 };
  new Gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Requests that are being worked on.',
    labelNames: ['request_kind'],
    registers,
    collect() {
      for (const [request_kind, count] of Object.entries(flying)) this.set({ request_kind }, count);
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
    help: 'Streams that are open.',
    labelNames: streamLabels,
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
  if (options.loadedPlanes !== undefined) addLoadedPlanes(registry, options.loadedPlanes);
  addBuildInfo(registry, options.version);
  addProcessMetrics(registry);

  return {
    contentType: registry.contentType,
    async text() {
      return tallies.map((tally) => tally.text()).join('') + (await registry.metrics());
    },
    sent(labels, bytes) {
      answers.get(labels)?.sizes.observe(bytes);
    },
    answered(labels, code, seconds, bytes) {
      const lines = answers.get(labels) ?? once(answers, labels, () => answerLines(labels));
      const count =
        lines.codes.get(code) ?? once(lines.codes, code, () => total.line({ ...labels, code: String(code) }));
      count.value++;
      if (bytes !== undefined) lines.sizes.observe(bytes);
      lines.duration?.observe(seconds);
      lines.sliDuration?.observe(seconds);
    },
    inFlight(kind, change) {
      flying[kind] += change;
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

/** Streams end in more than one way; each counts down once. */
function onlyOnce(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}

/** What is kept for a key, made the first time that it is asked for. */
function once<K, V>(kept: { get(key: K): V | undefined; set(key: K, value: V): unknown }, key: K, make: () => V): V {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  kept.set(key, made);
  return made;
}

function addLoadedPlanes(registry: Registry, loaded: NonNullable<MetricsOptions['loadedPlanes']>): void {
  new Gauge({
    name: 'flotilla_control_planes_loaded',
    help: 'Control planes of virtual clusters, and of the built-in one, that are in memory.',
    registers: [registry],
    collect() {
      this.set(loaded().planes);
    },
  });
  new Gauge({
    name: 'flotilla_control_planes_loaded_bytes',
    help: 'About how much memory they take.',
    registers: [registry],
    collect() {
      this.set(loaded().bytes);
    },
  });
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
