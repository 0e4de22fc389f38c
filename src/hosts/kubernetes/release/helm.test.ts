import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { clearHelmFolder, createHelm } from './helm.ts';
import { chartOf } from './helm-charts.ts';
import { defaultHelmSettings, type HelmSettings } from './helm-settings.ts';

/** A fake helm program that records its calls and does what the test defines. The real one runs in test/kubernetes. */
const recorder = (then: string) => `#!/bin/sh
{ echo "$@"; env | cut -d= -f1 | sort | tr '\\n' ' '; echo; for f in kubeconfig values.yaml; do
  if [ -f $f ]; then stat -c '%n %a' $f; cat $f; echo; fi; done; } >> "$0.calls"
${then}
`;

const never = new AbortController().signal;
const place = { namespace: 'space', name: 'one' };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'helm-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function setUp(then: string, changed: Partial<HelmSettings> = {}) {
  const program = join(folder, 'helm');
  await writeFile(program, recorder(then));
  await chmod(program, 0o700);
  const path = join(folder, 'chart.tgz');
  await writeFile(path, '');
  const environment = { PATH: process.env.PATH ?? '' };
  const settings: HelmSettings = { ...defaultHelmSettings, program, path, environment, ...changed };
  const workDir = join(folder, 'work');
  await mkdir(workDir);
  const helm = createHelm({ settings, kubeconfig: async () => 'token: hush', workDir, clock: systemClock });
  return {
    helm,
    settings,
    workDir,
    install: (signal = never) => {
      const chart = chartOf(undefined, settings);
      return helm.install({ location: place, chart, values: 'password: hush', labels: { 'a/b': 'c', d: 'e' } }, signal);
    },
    calls: () => readFile(`${program}.calls`, 'utf8'),
  };
}

describe('helm', () => {
  it('gets its secrets in private temporary files, never as arguments', async () => {
    const { install, calls, workDir, settings } = await setUp('exit 0');
    await install();
    const [line = '', names = '', ...files] = (await calls()).split('\n');
    expect(line).toBe(
      `upgrade one ${settings.path} --install --namespace=space --kubeconfig=kubeconfig --reset-values ` +
        '--values=values.yaml --hide-notes --labels=a/b=c,d=e --history-max=3 --timeout=120s',
    );
    expect(files.slice(0, 4)).toEqual(['kubeconfig 600', 'token: hush', 'values.yaml 600', 'password: hush']);
    expect(names.split(' ')).toEqual(expect.arrayContaining(['HELM_DRIVER', 'HOME', 'KUBECACHEDIR', 'PATH']));
    expect(names).not.toMatch(/VITEST|KUBECONFIG /);
    expect(await readdir(workDir)).toEqual(['cache']);
  });

  it('uninstalls a release by its name', async () => {
    const { helm, calls } = await setUp('exit 0');
    await helm.uninstall(place, never);
    expect(await calls()).toContain('uninstall one --ignore-not-found --namespace=space --kubeconfig=kubeconfig\n');
  });

  it.each([
    ['Error: UPGRADE FAILED: values don\\047t meet the specifications of the schema(s)', 'ValuesRefused', 422],
    ['Error: INSTALLATION FAILED: something unheard of', 'InstallFailed', 503],
    ['Error: Kubernetes cluster unreachable: dial tcp: connection refused', undefined, 503],
    ['Error: Unable to continue with install: invalid ownership metadata; label', undefined, 409],
  ])('classifies its failure by the message %s', async (words, fault, code) => {
    const { install, workDir } = await setUp(
      `printf 'WARNING: first\\n${words}\\n  in %s/values.yaml\\n' "$PWD" >&2; exit 1`,
    );
    const error = await install().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect((error as { fault?: string }).fault).toBe(fault);
    const { message } = error as Error;
    expect(message).toMatch(/Helm reported: /);
    expect(message).toContain('in values.yaml');
    expect(message).not.toMatch(/WARNING|hush/);
    expect(message).not.toContain(workDir);
  });

  it('is reported as missing, with instructions', async () => {
    const { install } = await setUp('exit 0', { program: '/nowhere/helm' });
    await expect(install()).rejects.toMatchObject({ fault: 'HelmMissing', code: 503 });
    await expect(install()).rejects.toThrow(/\/nowhere\/helm cannot be run \(ENOENT\).*helm\.program/);
  });

  it('is terminated after the timeout', async () => {
    const { install, workDir } = await setUp('exec sleep 60', { timeoutSeconds: 0.05 });
    await expect(install()).rejects.toMatchObject({ fault: 'HelmTimedOut' });
    expect(await readdir(workDir)).toEqual(['cache']);
  });

  it('is terminated when the signal fires', async () => {
    const { install, workDir } = await setUp('touch "$0.begun"; exec sleep 60');
    const giveUp = new AbortController();
    const installing = install(giveUp.signal);
    for (;;) if (await stat(join(folder, 'helm.begun')).then(Boolean, () => false)) break;
    giveUp.abort(new Error('given up'));
    await expect(installing).rejects.toThrow('given up');
    expect(await readdir(workDir)).toEqual(['cache']);
  });

  it('has the files deleted that a killed server left behind', async () => {
    const { workDir } = await setUp('exit 0');
    await mkdir(join(workDir, 'run-abc'));
    await writeFile(join(workDir, 'run-abc', 'kubeconfig'), 'token: hush');
    await mkdir(join(workDir, 'charts'));
    await clearHelmFolder(workDir);
    expect(await readdir(workDir)).toEqual(['charts']);
  });
});

describe('charts', () => {
  const settings: HelmSettings = { ...defaultHelmSettings, environment: {} };

  it('come from the settings unless the template overrides them', () => {
    const { chart: name, repo, version } = settings;
    expect(chartOf(undefined, settings)).toEqual({ name, repo, version, path: '' });
    expect(chartOf({ version: '1.2.3' }, settings)).toEqual({ name, repo, version: '1.2.3', path: '' });
    expect(chartOf({ name: 'other' }, settings)).toEqual({ name: 'other', repo, version: '', path: '' });
    expect(chartOf({ repo: `${repo}/` }, settings)).toMatchObject({ version });
  });

  it('are read from the path in the settings, one per version', () => {
    const local = { ...settings, path: '/charts/vcluster-{version}.tgz' };
    expect(chartOf({ version: '1.2.3' }, local).path).toBe('/charts/vcluster-1.2.3.tgz');
    expect(chartOf({ name: 'other' }, local).path).toBe('');
    for (const version of ['../1.2.3', '1/../2', '..']) {
      expect(() => chartOf({ version }, local)).toThrow(/is not a chart version/);
    }
    const single = { ...settings, path: '/charts/vcluster' };
    expect(chartOf({}, single).path).toBe('/charts/vcluster');
    expect(() => chartOf({ version: '1.2.3' }, single)).toThrow(
      /only in the version 0\.30\.0; the template requests 1\.2\.3/,
    );
  });

  const fetches =
    'case "$1" in pull) d=$(echo "$@" | sed "s/.*--destination=\\([^ ]*\\).*/\\1/"); touch $d/got.tgz;; esac';
  const fetched = async (calls: Promise<string>) =>
    (await calls).split('\n').filter((line) => /^(pull|repo|upgrade) /.test(line));

  it('are fetched once and installed from the downloaded archive', async () => {
    const { install, calls, workDir } = await setUp(fetches, { path: '' });
    await Promise.all([install(), install()]);
    await install();
    const lines = await fetched(calls());
    expect(lines.filter((line) => line.startsWith('pull '))).toEqual([
      expect.stringMatching(/^pull vcluster --repo=https:\S+ --version=0\.30\.0 --destination=/),
    ]);
    expect(
      lines.filter((line) => line.startsWith('upgrade ')).every((line) => line.includes(`${workDir}/charts/`)),
    ).toBe(true);
  });

  it('are fetched with credentials from registries and repositories', async () => {
    const registryConfig = join(folder, 'registry.json');
    const oci = await setUp(fetches, { path: '', repo: 'oci://registry.test/charts/', registryConfig });
    await oci.install();
    expect((await fetched(oci.calls()))[0]).toMatch(
      /^pull oci:\/\/registry\.test\/charts\/vcluster --version=0\.30\.0 \S+ --registry-config=\S+registry\.json$/,
    );
    await rm(oci.workDir, { recursive: true });
    await rm(join(folder, 'helm.calls'));
    const repositoryConfig = join(folder, 'repositories.yaml');
    await writeFile(repositoryConfig, 'repositories:\n- {name: inner, url: "https://charts.test/", password: hush}\n');
    const named = await setUp(fetches, { path: '', repo: 'https://charts.test', repositoryConfig });
    await named.install();
    const lines = await fetched(named.calls());
    expect(lines[0]).toMatch(/^repo update inner --repository-config=\S+repositories\.yaml --repository-cache=/);
    expect(lines[1]).toMatch(/^pull inner\/vcluster --version=0\.30\.0 /);
    expect(lines.join()).not.toContain('hush');
  });

  it('give different errors if they do not exist and if they cannot be fetched', async () => {
    const missing = await setUp('echo "Error: chart vcluster version 0.30.0 not found in repo" >&2; exit 1', {
      path: '',
    });
    await expect(missing.install()).rejects.toMatchObject({ fault: 'ChartNotFound', code: 422 });
    await rm(missing.workDir, { recursive: true });
    const down = await setUp('echo "Error: looks like the repo is not reachable: EOF" >&2; exit 1', { path: '' });
    await expect(down.install()).rejects.toMatchObject({ fault: 'InstallFailed', code: 503 });
    await rm(down.workDir, { recursive: true });
    const gone = await setUp('exit 0', { path: join(folder, 'nothing.tgz') });
    await expect(gone.install()).rejects.toThrow(/was not found at \S+nothing\.tgz \(setting helm\.path\)/);
  });
});
