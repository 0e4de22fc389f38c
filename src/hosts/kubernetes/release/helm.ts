import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conflict, type StatusError, serviceUnavailable } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import { privateMode } from '../../../lib/private-file.ts';
import { Semaphore } from '../../../lib/queue/semaphore.ts';
import type { HostLocation } from '../../host.ts';
import { InstallError } from '../../install-error.ts';
import { type ChartReference, HelmCharts } from './helm-charts.ts';
import type { HelmSettings } from './helm-settings.ts';
import { HelmFailure, runHelm } from './run-helm.ts';

export interface HelmOptions {
  readonly settings: HelmSettings;
  /** A kubeconfig for one cluster with inline credentials. A secret. */
  readonly kubeconfig: string;
  /** A directory that only this server writes to. */
  readonly workDir: string;
  readonly clock: Clock;
}

export interface WantedRelease {
  readonly place: HostLocation;
  readonly chart: ChartReference;
  /** YAML text of a map, or ''. */
  readonly values: string;
  /** Labels of the release record. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Manages the releases of one cluster with the helm program. Rejects with StatusError, usually InstallError. */
export interface Helm {
  /** Installs or upgrades the release. Does not wait until its pods run. */
  install(wanted: WantedRelease, signal: AbortSignal): Promise<void>;
  /** Does nothing if there is no such release. */
  uninstall(place: HostLocation, signal: AbortSignal): Promise<void>;
}

/** The number of release revisions that helm keeps. Older values are in the template's history, if it retains them. */
const keptRevisions = 3;
/** More than the controller has in progress for one cluster. */
const maxQueued = 1_000;
const runPrefix = 'run-';

export function createHelm(options: HelmOptions): Helm {
  const { settings, workDir, clock } = options;
  const slots = new Semaphore(settings.concurrency, maxQueued);
  const cache = join(workDir, 'cache');
  const timeoutMilliseconds = settings.timeoutSeconds * 1_000;

  /** Runs helm in a temporary directory with these files; the directory is deleted afterwards. */
  async function run(arguments_: readonly string[], files: Readonly<Record<string, string>>, signal: AbortSignal) {
    await mkdir(cache, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(workDir, runPrefix));
    try {
      for (const [name, text] of Object.entries(files))
        await writeFile(join(folder, name), text, { mode: privateMode });
      const environment = {
        ...settings.environment,
        HOME: folder,
        HELM_CACHE_HOME: cache,
        HELM_CONFIG_HOME: folder,
        HELM_DATA_HOME: folder,
        HELM_DRIVER: 'secret',
        // Caches the cluster's discovery documents across runs.
        KUBECACHEDIR: join(cache, 'discovery'),
      };
      const { program } = settings;
      await runHelm({ program, arguments: arguments_, environment, folder, timeoutMilliseconds, clock, signal });
    } catch (error) {
      if (!(error instanceof HelmFailure)) throw error;
      // The temporary directory means nothing to users and no longer exists.
      throw new HelmFailure(error.kind, error.output.replaceAll(`${folder}/`, ''));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  const charts = new HelmCharts({
    settings,
    folder: join(workDir, 'charts'),
    clock,
    run: (arguments_, signal) => run(arguments_, {}, signal),
  });
  const onCluster = ({ namespace }: HostLocation) => [`--namespace=${namespace}`, '--kubeconfig=kubeconfig'];
  const withSlot = async (place: HostLocation, work: () => Promise<void>, signal: AbortSignal) => {
    if (slots.isFull) throw serviceUnavailable('too many installations are queued', 5);
    const release = await slots.acquire(signal);
    try {
      await work();
    } catch (error) {
      throw error instanceof HelmFailure ? toStatusError(error, place, settings) : error;
    } finally {
      release();
    }
  };

  return {
    install: ({ place, chart, values, labels }, signal) =>
      withSlot(
        place,
        async () => {
          const path = await charts.fetch(chart, signal);
          const labelPairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
          const arguments_ = [
            ...['upgrade', place.name, path, '--install', ...onCluster(place)],
            // `--reset-values`: otherwise helm would keep values that the new file no longer contains.
            ...['--reset-values', '--values=values.yaml', '--hide-notes'],
            ...[
              `--labels=${labelPairs.join(',')}`,
              `--history-max=${keptRevisions}`,
              `--timeout=${settings.timeoutSeconds}s`,
            ],
          ];
          await run(arguments_, { kubeconfig: options.kubeconfig, 'values.yaml': values }, signal);
        },
        signal,
      ),
    uninstall: (place, signal) =>
      withSlot(
        place,
        async () => {
          const arguments_ = ['uninstall', place.name, '--ignore-not-found', ...onCluster(place)];
          await run(arguments_, { kubeconfig: options.kubeconfig }, signal);
        },
        signal,
      ),
  };
}

/** Deletes what a killed server left behind: kubeconfigs and values in plain text. */
export async function clearHelmFolder(workDir: string): Promise<void> {
  const found = await readdir(workDir).catch((error: NodeJS.ErrnoException) => {
    // Helm has never run: its first run creates the directory.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const left = found.filter((name) => name.startsWith(runPrefix));
  await Promise.all(left.map((name) => rm(join(workDir, name), { recursive: true, force: true })));
}

const unreachable =
  /Kubernetes cluster unreachable|connection refused|i\/o timeout|no such host|TLS handshake timeout|Client\.Timeout|EOF$/;
const rejectedValues =
  /values don't meet the specifications|cannot unmarshal|error converting YAML|failed to parse|execution error at|error calling|nil pointer evaluating|YAML parse error|unable to build kubernetes objects|is invalid: /;

function toStatusError(
  { kind, output }: HelmFailure,
  { name }: HostLocation,
  { program, timeoutSeconds }: HelmSettings,
): StatusError {
  if (kind === 'missing') {
    const message = `the program ${program} cannot be run (${output}); install Helm 3 on this machine, or set its path in the setting helm.program`;
    return new InstallError('HelmMissing', message);
  }
  const report = output === '' ? '' : ` Helm reported: ${output}`;
  if (kind === 'late') {
    const message = `helm did not finish within ${timeoutSeconds} seconds; the cluster is slow, or the setting helm.timeoutSeconds is too low.${report}`;
    return new InstallError('HelmTimedOut', message);
  }
  if (unreachable.test(output)) return serviceUnavailable(`helm cannot reach the cluster. Helm reported: ${output}`);
  if (/invalid ownership metadata|cannot be imported into the current release/.test(output)) {
    return conflict(
      { group: '', resource: 'releases' },
      name,
      `its objects already exist and belong to someone else. Helm reported: ${output}`,
    );
  }
  if (rejectedValues.test(output)) {
    return new InstallError('ValuesRefused', `the chart rejected helmRelease.values; correct them.${report}`);
  }
  return new InstallError('InstallFailed', `helm failed.${report}`);
}
