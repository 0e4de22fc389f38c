import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { listAt, textAt } from '@flotilla/json';
import { DocumentError } from '../../../api/decode/document-error.ts';
import { readYaml } from '../../../api/decode/yaml-document.ts';
import type { Clock } from '../../../lib/clock.ts';
import { withoutTrailingSlashes } from '../../../lib/without-trailing-slashes.ts';
import type { HelmRelease } from '../../host.ts';
import { InstallError } from '../../install-error.ts';
import type { HelmSettings } from './helm-settings.ts';
import { HelmFailure } from './run-helm.ts';

/** Identifies the Helm chart to install. */
export interface ChartReference {
  readonly name: string;
  readonly repo: string;
  /** The version of the chart; empty for the newest version. */
  readonly version: string;
  /** The path of the chart on this machine; empty if it must be fetched from the repository. */
  readonly path: string;
}

/** Returns the chart to install: the one from the template, with the server's settings as defaults. */
export function chartOf(wanted: HelmRelease['chart'] = {}, settings: HelmSettings): ChartReference {
  const name = wanted.name || settings.chart;
  const repo = wanted.repo || settings.repo;
  const isDefault = name === settings.chart && sameRepo(repo, settings.repo);
  const version = wanted.version || (isDefault ? settings.version : '');
  // The version is used in a path, so it must not contain slashes or `..`.
  if (!/^[\w.+~^*<>=|, -]*$/.test(version) || version.includes('..')) {
    throw new InstallError('ChartNotFound', `${JSON.stringify(version)} is not a chart version or version range`);
  }
  if (!isDefault || settings.path === '') return { name, repo, version, path: '' };
  if (!settings.path.includes('{version}') && version !== settings.version) {
    const message = `this server installs the chart ${name} from ${settings.path}, only in the version ${settings.version || 'that is stored there'}; the template requests ${version}`;
    throw new InstallError('ChartNotFound', message);
  }
  return { name, repo, version, path: resolve(settings.path.replaceAll('{version}', version)) };
}

function sameRepo(one: string, other: string): boolean {
  return withoutTrailingSlashes(one) === withoutTrailingSlashes(other);
}

export interface HelmChartsOptions {
  readonly settings: HelmSettings;
  /** The directory in which fetched charts are cached. */
  readonly folder: string;
  readonly clock: Clock;
  run(arguments_: readonly string[], signal: AbortSignal): Promise<void>;
}

/** The time for which a fetched chart is reused if the requested version is empty or a range. */
const newestTtlMs = 10 * 60_000;

/** Fetches each chart once and caches it, so that a slow or unavailable repository delays only new charts. */
export class HelmCharts {
  readonly #options: HelmChartsOptions;
  readonly #fetching = new Map<string, Promise<string>>();

  constructor(options: HelmChartsOptions) {
    this.#options = options;
  }

  /** Returns the path of the chart on this machine, and fetches the chart if necessary. Rejects with InstallError. */
  async fetch(chart: ChartReference, signal: AbortSignal): Promise<string> {
    if (chart.path !== '') return await existingPath(chart);
    const key = hash('sha256', JSON.stringify([chart.name, chart.repo, chart.version]), 'hex').slice(0, 32);
    for (let pending = this.#fetching.get(key); pending !== undefined; pending = this.#fetching.get(key)) {
      try {
        return await pending;
      } catch (error) {
        // An InstallError is about the chart, so it applies to all callers. After any other error, try again, because
        // the caller that started this fetch may have aborted it.
        if (error instanceof InstallError) throw error;
        signal.throwIfAborted();
      }
    }
    const fetching = this.#fetchOnce(chart, join(this.#options.folder, key), signal).finally(() =>
      this.#fetching.delete(key),
    );
    this.#fetching.set(key, fetching);
    return await fetching;
  }

  async #fetchOnce(chart: ChartReference, folder: string, signal: AbortSignal): Promise<string> {
    const cached = await archiveIn(folder);
    const isExact = /^v?\d+\.\d+\.\d+/.test(chart.version);
    const oldestUsable = this.#options.clock.now() - newestTtlMs;
    if (cached !== undefined && (isExact || cached.fetched > oldestUsable)) return cached.path;
    const temporary = `${folder}.new`;
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    try {
      await this.#pull(chart, temporary, signal);
      await rm(folder, { recursive: true, force: true });
      await rename(temporary, folder);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      if (cached !== undefined && error instanceof HelmFailure) return cached.path;
      throw error instanceof HelmFailure && error.kind === 'failed' ? fetchError(chart, error.output) : error;
    }
    const fetched = await archiveIn(folder);
    if (fetched === undefined) throw fetchError(chart, 'helm pull created no archive');
    return fetched.path;
  }

  async #pull({ name, repo, version }: ChartReference, folder: string, signal: AbortSignal): Promise<void> {
    const { settings, run } = this.#options;
    const options = [...(version === '' ? [] : [`--version=${version}`]), `--destination=${folder}`];
    if (repo.startsWith('oci://')) {
      const registry = settings.registryConfig === '' ? [] : [`--registry-config=${resolve(settings.registryConfig)}`];
      return await run(['pull', `${withoutTrailingSlashes(repo)}/${name}`, ...options, ...registry], signal);
    }
    const repository = await this.#repositoryNamed(repo);
    if (repository === undefined) return await run(['pull', name, `--repo=${repo}`, ...options], signal);
    const config = [
      `--repository-config=${resolve(settings.repositoryConfig)}`,
      `--repository-cache=${join(this.#options.folder, 'index')}`,
    ];
    await run(['repo', 'update', repository, ...config], signal);
    await run(['pull', `${repository}/${name}`, ...options, ...config], signal);
  }

  /**
   * Returns the name of the repository with this URL from the file with repository credentials; `undefined` if none.
   */
  async #repositoryNamed(repo: string): Promise<string | undefined> {
    const file = this.#options.settings.repositoryConfig;
    if (file === '') return undefined;
    try {
      const { value } = readYaml(await readFile(file, 'utf8'));
      const entry = listAt(value, 'repositories').find((each) => sameRepo(textAt(each, 'url'), repo));
      return entry === undefined ? undefined : textAt(entry, 'name');
    } catch (error) {
      const words = error instanceof DocumentError ? 'it is not YAML' : String(error);
      throw new InstallError('InstallFailed', `cannot read the file of the setting helm.repositoryConfig: ${words}`);
    }
  }
}

async function existingPath({ name, version, path }: ChartReference): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch {
    const which = `${name}${version === '' ? '' : ` ${version}`}`;
    const message = `the chart ${which} was not found at ${path} (setting helm.path); put it there or correct the setting`;
    throw new InstallError('ChartNotFound', message);
  }
}

async function archiveIn(folder: string): Promise<{ path: string; fetched: number } | undefined> {
  try {
    const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    if (archive === undefined) return undefined;
    const path = join(folder, archive);
    return { path, fetched: (await stat(path)).mtimeMs };
  } catch {
    return undefined;
  }
}

function fetchError({ name, repo, version }: ChartReference, words: string): InstallError {
  const which = `the chart ${name}${version === '' ? '' : ` ${version}`} from ${repo}`;
  const isMissing =
    /not found|no chart version|no chart name|manifest unknown|\b404\b|invalid_reference|improper constraint/i.test(
      words,
    );
  return isMissing
    ? new InstallError(
        'ChartNotFound',
        `${which} was not found; set another one in helmRelease.chart. Helm reported: ${words}`,
      )
    : new InstallError('InstallFailed', `${which} cannot be fetched. Helm reported: ${words}`);
}
