import { Gauge, type Registry } from 'prom-client';
import type { VersionInfo } from '../documents/version.ts';

export interface ObjectCount {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
}

/** The number of loaded virtual cluster planes, and their approximate memory in bytes. */
export interface LoadedPlanes {
  readonly planes: number;
  readonly bytes: number;
}

/** A metric without labels whose value is read at each scrape. */
export interface SimpleGauge {
  readonly name: string;
  readonly help: string;
  value(): number;
}

export function addGauge(registry: Registry, { name, help, value }: SimpleGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

/** A metric with one label whose values are read at each scrape. */
export interface LabelledGauge {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** Returns pairs of a label value and the value of the metric. */
  values(): Iterable<readonly [string, number]>;
}

export function addLabelledGauge(registry: Registry, { name, help, label, values }: LabelledGauge): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [of, value] of values()) this.set({ [label]: of }, value);
    },
  });
}

export function addLoadedPlanes(registry: Registry, loaded: () => LoadedPlanes): void {
  addGauge(registry, {
    name: 'flotilla_control_planes_loaded',
    help: 'Number of control planes of the built-in cluster and its virtual clusters that are loaded in memory.',
    value: () => loaded().planes,
  });
  addGauge(registry, {
    name: 'flotilla_control_planes_loaded_bytes',
    help: 'Approximate memory of the loaded control planes in bytes.',
    value: () => loaded().bytes,
  });
}

/**
 * Adds the number of stored objects, under its current metric name and under the older name that most dashboards use
 * (rule METRIC-05).
 */
export function addObjectCounts(registry: Registry, storedObjects: () => Iterable<ObjectCount>): void {
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

export function addBuildInfo(registry: Registry, version: VersionInfo): void {
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
