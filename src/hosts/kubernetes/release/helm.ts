import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conflict, type StatusError, serviceUnavailable } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import { privateFileMode } from '../../../lib/private-file.ts';
import { Semaphore } from '../../../lib/queue/semaphore.ts';
import type { HostLocation } from '../../host.ts';
import { InstallError } from '../../install-error.ts';
import { type ChartReference, HelmCharts } from './helm-charts.ts';
import type { HelmSettings } from './helm-settings.ts';
import { HelmFailure, runHelm } from './run-helm.ts';

export interface HelmOptions {
  readonly settings: HelmSettings;
  /** Returns a kubeconfig for the cluster, with inline credentials. It is a secret. */
  kubeconfig(): Promise<string>;
  /** A directory for the files of helm. No other program may write to it. */
  readonly workDir: string;
  readonly clock: Clock;
}

export interface ReleaseRequest {
  readonly location: HostLocation;
  readonly chart: ChartReference;
  /** The Helm values as a YAML map; empty for none. */
  readonly values: string;
  /** Labels of the secret in which Helm records the release. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Manages the Helm releases on one cluster with the helm program. Rejects with StatusError, usually InstallError. */
export interface Helm {
  /** Installs or upgrades a release. Does not wait until its pods are running. */
  install(wanted: ReleaseRequest, signal: AbortSignal): Promise<void>;
  /** Uninstalls a release. Does nothing if there is no such release. */
  uninstall(location: HostLocation, signal: AbortSignal): Promise<void>;
}

/** The number of revisions that Helm keeps of each release, including the current revision. */
const keptRevisions = 3;
/**
 * The maximum number of waiting helm executions. It is higher than the number that the controller starts per cluster.
 */
const maxQueued = 1_000;
const runPrefix = 'run-';

export function createHelm(options: HelmOptions): Helm {
  const { settings, workDir, clock } = options;
  const slots = new Semaphore(settings.concurrency, maxQueued);
  const cache = join(workDir, 'cache');
  const timeoutMilliseconds = settings.timeoutSeconds * 1_000;

  /** Runs helm in a temporary directory with the given files, and then deletes the directory. */
  async function run(arguments_: readonly string[], files: Readonly<Record<string, string>>, signal: AbortSignal) {
    await mkdir(cache, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(workDir, runPrefix));
    try {
      for (const [name, text] of Object.entries(files))
        await writeFile(join(folder, name), text, { mode: privateFileMode });
      const environment = {
        ...settings.environment,
        HOME: folder,
        HELM_CACHE_HOME: cache,
        HELM_CONFIG_HOME: folder,
        HELM_DATA_HOME: folder,
        HELM_DRIVER: 'secret',
        // Keep the API discovery documents of the cluster in a cache that all helm processes share.
        KUBECACHEDIR: join(cache, 'discovery'),
      };
      const { program } = settings;
      await runHelm({ program, arguments: arguments_, environment, folder, timeoutMilliseconds, clock, signal });
    } catch (error) {
      if (!(error instanceof HelmFailure)) throw error;
      // Remove the path of the temporary directory from the message, because it does not help users.
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
  const withSlot = async (location: HostLocation, work: () => Promise<void>, signal: AbortSignal) => {
    if (slots.isFull)
      throw serviceUnavailable('too many installations are waiting for this cluster, please try again later', 5);
    const release = await slots.acquire(signal);
    try {
      await work();
    } catch (error) {
      throw error instanceof HelmFailure ? toStatusError(error, location, settings) : error;
    } finally {
      release();
    }
  };

  return {
    install: ({ location, chart, values, labels }, signal) =>
      withSlot(
        location,
        async () => {
          const path = await charts.fetch(chart, signal);
          const labelPairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
          const arguments_ = [
            ...['upgrade', location.name, path, '--install', ...onCluster(location)],
            // Without `--reset-values`, helm would keep values that the new values file no longer contains.
            ...['--reset-values', '--values=values.yaml', '--hide-notes'],
            ...[
              `--labels=${labelPairs.join(',')}`,
              `--history-max=${keptRevisions}`,
              `--timeout=${settings.timeoutSeconds}s`,
            ],
          ];
          await run(arguments_, { kubeconfig: await options.kubeconfig(), 'values.yaml': values }, signal);
        },
        signal,
      ),
    uninstall: (location, signal) =>
      withSlot(
        location,
        async () => {
          const arguments_ = ['uninstall', location.name, '--ignore-not-found', ...onCluster(location)];
          await run(arguments_, { kubeconfig: await options.kubeconfig() }, signal);
        },
        signal,
      ),
  };
}

/** Deletes the temporary directories of a server that was killed. They contain kubeconfigs and values in plain text. */
export async function clearHelmFolder(workDir: string): Promise<void> {
  const found = await readdir(workDir).catch((error: NodeJS.ErrnoException) => {
    // The directory does not exist yet, because the first execution of helm creates it.
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
