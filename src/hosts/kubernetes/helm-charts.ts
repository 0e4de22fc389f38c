import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DocumentError } from '../../api/decode/document-error.ts';
import { readYaml } from '../../api/decode/yaml-document.ts';
import type { Clock } from '../../lib/clock.ts';
import { listAt, textAt } from '../../lib/json-path.ts';
import type { HelmRelease } from '../host.ts';
import { InstallError } from '../install-error.ts';
import type { HelmSettings } from './helm-settings.ts';
import { HelmFailure } from './run-helm.ts';

/** A chart that is to be installed. */
export interface ChartReference {
  readonly name: string;
  readonly repo: string;
  /** '': the newest. */
  readonly version: string;
  /** Where it lies on this machine; '': it is fetched. */
  readonly path: string;
}

/** The chart of the settings, with what a template says in place of that. */
export function chartOf(wanted: HelmRelease['chart'] = {}, settings: HelmSettings): ChartReference {
  const name = wanted.name || settings.chart;
  const repo = wanted.repo || settings.repo;
  const isDefault = name === settings.chart && sameRepo(repo, settings.repo);
  const version = wanted.version || (isDefault ? settings.version : '');
  // It becomes part of a path.
  if (!/^[\w.+~^*<>=|, -]*$/.test(version) || version.includes('..')) {
    throw new InstallError(
      'ChartNotFound',
      `${JSON.stringify(version)} is not a version of a chart, nor a range of versions`,
    );
  }
  if (!isDefault || settings.path === '') return { name, repo, version, path: '' };
  if (!settings.path.includes('{version}') && version !== settings.version) {
    const message = `this server installs the chart ${name} from ${settings.path}, in the version ${settings.version || 'that lies there'} only; the template asks for ${version}`;
    throw new InstallError('ChartNotFound', message);
  }
  return { name, repo, version, path: resolve(settings.path.replaceAll('{version}', version)) };
}

function sameRepo(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '');
}

export interface HelmChartsOptions {
  readonly settings: HelmSettings;
  /** Charts that were fetched are kept here. */
  readonly folder: string;
  readonly clock: Clock;
  run(arguments_: readonly string[], signal: AbortSignal): Promise<void>;
}

/** Which version is the newest is asked again after this time. */
const newestHoldsMilliseconds = 10 * 60_000;

/** Fetches charts, each of them once: a repository that is slow or down holds up only what is new. */
export class HelmCharts {
  readonly #options: HelmChartsOptions;
  readonly #fetching = new Map<string, Promise<string>>();

  constructor(options: HelmChartsOptions) {
    this.#options = options;
  }

  /** The path of the chart on this machine. Rejects with InstallError. */
  async fetch(chart: ChartReference, signal: AbortSignal): Promise<string> {
    if (chart.path !== '') return await existing(chart);
    const key = hash('sha256', JSON.stringify([chart.name, chart.repo, chart.version]), 'hex').slice(0, 32);
    for (let underWay = this.#fetching.get(key); underWay !== undefined; underWay = this.#fetching.get(key)) {
      try {
        return await underWay;
      } catch (error) {
        // Whoever began it may only have given up; what is wrong with the chart holds for all.
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
    const held = await archiveIn(folder);
    const isExact = /^v?\d+\.\d+\.\d+/.test(chart.version);
    const youngest = this.#options.clock.now() - newestHoldsMilliseconds;
    if (held !== undefined && (isExact || held.fetched > youngest)) return held.path;
    const temporary = `${folder}.new`;
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    try {
      await this.#pull(chart, temporary, signal);
      await rm(folder, { recursive: true, force: true });
      await rename(temporary, folder);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      if (held !== undefined && error instanceof HelmFailure) return held.path;
      throw error instanceof HelmFailure && error.how === 'failed' ? notFetched(chart, error.words) : error;
    }
    const fetched = await archiveIn(folder);
    if (fetched === undefined) throw notFetched(chart, 'helm has fetched no archive');
    return fetched.path;
  }

  async #pull({ name, repo, version }: ChartReference, folder: string, signal: AbortSignal): Promise<void> {
    const { settings, run } = this.#options;
    const more = [...(version === '' ? [] : [`--version=${version}`]), `--destination=${folder}`];
    if (repo.startsWith('oci://')) {
      const registry = settings.registryConfig === '' ? [] : [`--registry-config=${resolve(settings.registryConfig)}`];
      return await run(['pull', `${repo.replace(/\/+$/, '')}/${name}`, ...more, ...registry], signal);
    }
    const named = await this.#repositoryNamed(repo);
    if (named === undefined) return await run(['pull', name, `--repo=${repo}`, ...more], signal);
    const config = [
      `--repository-config=${resolve(settings.repositoryConfig)}`,
      `--repository-cache=${join(this.#options.folder, 'index')}`,
    ];
    await run(['repo', 'update', named, ...config], signal);
    await run(['pull', `${named}/${name}`, ...more, ...config], signal);
  }

  /** A repository that needs credentials is found by its name in the file that holds them. */
  async #repositoryNamed(repo: string): Promise<string | undefined> {
    const file = this.#options.settings.repositoryConfig;
    if (file === '') return undefined;
    try {
      const { value } = readYaml(await readFile(file, 'utf8'));
      const entry = listAt(value, 'repositories').find((each) => sameRepo(textAt(each, 'url'), repo));
      return entry === undefined ? undefined : textAt(entry, 'name');
    } catch (error) {
      const words = error instanceof DocumentError ? 'it is not YAML' : String(error);
      throw new InstallError('InstallFailed', `the file of the setting helm.repositoryConfig cannot be read: ${words}`);
    }
  }
}

async function existing({ name, version, path }: ChartReference): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch {
    const which = `${name}${version === '' ? '' : ` ${version}`}`;
    const message = `the chart ${which} is not at ${path}, where the setting helm.path says; put it there, or correct the setting`;
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

function notFetched({ name, repo, version }: ChartReference, words: string): InstallError {
  const which = `the chart ${name}${version === '' ? '' : ` ${version}`} of ${repo}`;
  const isMissing =
    /not found|no chart version|no chart name|manifest unknown|\b404\b|invalid_reference|improper constraint/i.test(
      words,
    );
  return isMissing
    ? new InstallError(
        'ChartNotFound',
        `${which} is not there; name another one in helmRelease.chart. Helm says: ${words}`,
      )
    : new InstallError('InstallFailed', `${which} cannot be fetched. Helm says: ${words}`);
}
