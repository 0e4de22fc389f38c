import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conflict, type StatusError, serviceUnavailable } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { privateMode } from '../../lib/private-file.ts';
import { Slots } from '../../lib/slots.ts';
import type { HostPlace } from '../host.ts';
import { InstallError } from '../install-error.ts';
import { type ChartReference, HelmCharts } from './helm-charts.ts';
import type { HelmSettings } from './helm-settings.ts';
import { HelmFailure, runHelm } from './run-helm.ts';

export interface HelmOptions {
  readonly settings: HelmSettings;
  /** For one cluster, everything inline. A secret. */
  readonly kubeconfig: string;
  /** Only this server writes here. */
  readonly workDir: string;
  readonly clock: Clock;
}

export interface WantedRelease {
  readonly place: HostPlace;
  readonly chart: ChartReference;
  /** YAML text of a map, or ''. */
  readonly values: string;
  /** Of the release's record. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Releases of one cluster, by the real program. Everything rejects with StatusError, most with InstallError. */
export interface Helm {
  /** Installs the release, or makes of it what is wanted now. It is not waited until it runs. */
  install(wanted: WantedRelease, signal: AbortSignal): Promise<void>;
  /** Does nothing where there is none. */
  uninstall(place: HostPlace, signal: AbortSignal): Promise<void>;
}

/** Older revisions are of use to nobody: what was wanted then is in the template's history, if anywhere. */
const keptRevisions = 3;
/** Beyond what the controller has at work for one cluster. */
const mostWaiting = 1_000;
const runPrefix = 'run-';

export function createHelm(options: HelmOptions): Helm {
  const { settings, workDir, clock } = options;
  const slots = new Slots(settings.concurrency, mostWaiting);
  const cache = join(workDir, 'cache');
  const timeoutMilliseconds = settings.timeoutSeconds * 1_000;

  /** In a folder of its own, with these files in it, that is gone when it has ended. */
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
        // What kinds the cluster serves is asked once in a while, not at every run.
        KUBECACHEDIR: join(cache, 'discovery'),
      };
      const { program } = settings;
      await runHelm({ program, arguments: arguments_, environment, folder, timeoutMilliseconds, clock, signal });
    } catch (error) {
      if (!(error instanceof HelmFailure)) throw error;
      // The folder is nobody's business, and is not there any more.
      throw new HelmFailure(error.how, error.words.replaceAll(`${folder}/`, ''));
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
  const onCluster = ({ namespace }: HostPlace) => [`--namespace=${namespace}`, '--kubeconfig=kubeconfig'];
  const inTurn = async (place: HostPlace, work: () => Promise<void>, signal: AbortSignal) => {
    if (slots.isFull) throw serviceUnavailable('too many installations wait for their turn', 5);
    const leave = await slots.take(signal);
    try {
      await work();
    } catch (error) {
      throw error instanceof HelmFailure ? wordsOf(error, place, settings) : error;
    } finally {
      leave();
    }
  };

  return {
    install: ({ place, chart, values, labels }, signal) =>
      inTurn(
        place,
        async () => {
          const path = await charts.fetch(chart, signal);
          const marks = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
          const arguments_ = [
            ...['upgrade', place.name, path, '--install', ...onCluster(place)],
            // Without it, values that are taken away would stay.
            ...['--reset-values', '--values=values.yaml', '--hide-notes'],
            ...[
              `--labels=${marks.join(',')}`,
              `--history-max=${keptRevisions}`,
              `--timeout=${settings.timeoutSeconds}s`,
            ],
          ];
          await run(arguments_, { kubeconfig: options.kubeconfig, 'values.yaml': values }, signal);
        },
        signal,
      ),
    uninstall: (place, signal) =>
      inTurn(
        place,
        async () => {
          const arguments_ = ['uninstall', place.name, '--ignore-not-found', ...onCluster(place)];
          await run(arguments_, { kubeconfig: options.kubeconfig }, signal);
        },
        signal,
      ),
  };
}

/** What a server that was killed has left behind: kubeconfigs and values, in clear. */
export async function clearHelmFolder(workDir: string): Promise<void> {
  const found = await readdir(workDir).catch((error: NodeJS.ErrnoException) => {
    // Helm has never run: the folder comes with its first run.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const left = found.filter((name) => name.startsWith(runPrefix));
  await Promise.all(left.map((name) => rm(join(workDir, name), { recursive: true, force: true })));
}

const unreachable =
  /Kubernetes cluster unreachable|connection refused|i\/o timeout|no such host|TLS handshake timeout|Client\.Timeout|EOF$/;
const refusedValues =
  /values don't meet the specifications|cannot unmarshal|error converting YAML|failed to parse|execution error at|error calling|nil pointer evaluating|YAML parse error|unable to build kubernetes objects|is invalid: /;

function wordsOf(
  { how, words }: HelmFailure,
  { name }: HostPlace,
  { program, timeoutSeconds }: HelmSettings,
): StatusError {
  if (how === 'missing') {
    const message = `the program ${program} cannot be run (${words}); install Helm 3 on this machine, or name it in the setting helm.program`;
    return new InstallError('HelmMissing', message);
  }
  const said = words === '' ? '' : ` Helm says: ${words}`;
  if (how === 'late') {
    const message = `helm has not come to an end within ${timeoutSeconds} seconds; the cluster is slow, or the setting helm.timeoutSeconds too short.${said}`;
    return new InstallError('HelmTimedOut', message);
  }
  if (unreachable.test(words)) return serviceUnavailable(`helm cannot reach the cluster. Helm says: ${words}`);
  if (/invalid ownership metadata|cannot be imported into the current release/.test(words)) {
    return conflict(
      { group: '', resource: 'releases' },
      name,
      `what it is made of is there already and is somebody else's. Helm says: ${words}`,
    );
  }
  if (refusedValues.test(words)) {
    return new InstallError('ValuesRefused', `the chart does not accept helmRelease.values; correct them.${said}`);
  }
  return new InstallError('InstallFailed', `helm has failed.${said}`);
}
