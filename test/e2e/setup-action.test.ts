import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import { archiveName, releasesUrl } from '../harness/installation/built-archive.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { curlMissing } from '../harness/walk-guide.ts';

const root = new URL('../..', import.meta.url).pathname;

interface Action {
  readonly inputs: Record<string, { readonly default: string }>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly name: string;
      readonly shell: string;
      readonly run: string;
      readonly if?: string;
      readonly env: Record<string, string>;
    }[];
  };
}

/** The steps of the action, run from its file as a GitHub runner does: each in a separate shell. */
describeIfAvailable(curlMissing, 'the action setup-flotilla', () => {
  const actionFolder = join(root, '.github/actions/setup-flotilla');
  const action = load(readFileSync(join(actionFolder, 'action.yml'), 'utf8')) as Action;
  const folder = mkdtempSync(join(tmpdir(), 'setup-action-'));
  const tools = join(folder, 'tools');
  let releases: string;

  beforeAll(async () => {
    releases = await releasesUrl();
    mkdirSync(tools);
    // A machine with the programs of the base system, but without Node, flotilla and kubectl.
    const programs = ['awk', 'bash', 'cat', 'chmod', 'curl', 'dirname', 'gzip', 'mkdir', 'mktemp', 'mv', 'readlink'];
    for (const name of [...programs, 'rm', 'sed', 'sh', 'sha256sum', 'tar', 'uname'])
      symlinkSync(spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim(), join(tools, name));
    writeKubectlRelease();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Writes a release of kubectl as at dl.k8s.io. The program itself is not under test. */
  function writeKubectlRelease(): void {
    const release = join(folder, 'kubectl-releases/v1.34.0/bin/linux', process.arch === 'x64' ? 'amd64' : 'arm64');
    mkdirSync(release, { recursive: true });
    const program = '#!/bin/sh\necho kubectl of the release\n';
    writeFileSync(join(release, 'kubectl'), program);
    writeFileSync(join(release, 'kubectl.sha256'), createHash('sha256').update(program).digest('hex'));
  }

  function runStep(name: string, inputs: Record<string, string>, more: Record<string, string> = {}) {
    const step = action.runs.steps.find((one) => one.name === name);
    if (step === undefined) throw new Error(`the action has no step ${name}`);
    const temp = join(folder, `temp-${readdirSync(folder).length}`);
    mkdirSync(temp);
    const value = (expression: string) =>
      expression
        .replaceAll(
          /\$\{\{ inputs\.(\w+) \}\}/g,
          (_, input: string) => inputs[input] ?? action.inputs[input]?.default ?? '',
        )
        .replaceAll(/\$\{\{ runner\.temp \}\}/g, temp)
        .replaceAll(/\$\{\{ github\.action_repository \|\| github\.repository \}\}/g, 'acme/flotilla');
    const env: Record<string, string> = {
      ...{ PATH: tools, HOME: temp, RUNNER_TEMP: temp, GITHUB_ACTION_PATH: actionFolder },
      ...{ GITHUB_ENV: join(temp, 'env'), GITHUB_PATH: join(temp, 'path') },
      ...{ GITHUB_SERVER_URL: pathToFileURL(join(folder, 'github')).href },
      KUBECTL_RELEASES: pathToFileURL(join(folder, 'kubectl-releases')).href,
      ...more,
    };
    for (const [variable, expression] of Object.entries(step.env)) env[variable] = value(expression);
    expect(Object.values(env).join('')).not.toContain('${{');
    const flags = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run];
    const { status, stdout, stderr } = spawnSync(step.shell, flags, { env, encoding: 'utf8' });
    const written = (file: string) => (existsSync(join(temp, file)) ? readFileSync(join(temp, file), 'utf8') : '');
    return { status, stdout, stderr, temp, path: written('path').trim(), variables: written('env') };
  }

  it('installs the program with kubectl, and adds both to PATH', () => {
    const { status, stdout, stderr, path } = runStep('install', { releases, version: `v${description.version}` });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `flotilla ${description.version}\n`, stderr: '' });
    const kubectl = spawnSync('kubectl', [], { env: { PATH: path }, encoding: 'utf8' });
    expect(kubectl.stdout).toBe('kubectl of the release\n');
  });

  it('keeps other programs in the folder of the script', () => {
    const target = join(folder, 'usr-local');
    mkdirSync(join(target, 'bin'), { recursive: true });
    writeFileSync(join(target, 'bin/other'), '');
    const env = { PATH: tools, FLOTILLA_VERSION: description.version, FLOTILLA_RELEASES: releases };
    const { status } = spawnSync('sh', [join(root, 'examples/ci/install.sh')], {
      env: {
        ...env,
        FLOTILLA_INSTALL_DIR: target,
        KUBECTL_RELEASES: pathToFileURL(join(folder, 'kubectl-releases')).href,
      },
    });
    expect(status).toBe(0);
    expect(readdirSync(join(target, 'bin'))).toEqual(expect.arrayContaining(['flotilla', 'kubectl', 'other']));
  });

  it('installs its own version from the releases of its repository by default', () => {
    const download = join(folder, 'github/acme/flotilla/releases/download');
    cpSync(fileURLToPath(releases), download, { recursive: true });
    expect(runStep('install', {})).toMatchObject({ status: 0, stdout: `flotilla ${description.version}\n` });
  });

  it('installs nothing if the checksum is wrong or missing, or if there is no such version', () => {
    const bad = join(folder, 'bad', `v${description.version}`);
    cpSync(join(fileURLToPath(releases), `v${description.version}`), bad, { recursive: true });
    const sums = join(bad, 'SHA256SUMS');
    for (const text of [readFileSync(sums, 'utf8').replaceAll(/^.{8}/gm, '00000000'), '']) {
      writeFileSync(sums, text);
      const { status, stderr, temp, path } = runStep('install', { releases: pathToFileURL(join(folder, 'bad')).href });
      expect(status).toBe(1);
      expect(stderr).toContain(`install.sh: ${archiveName}.tar.gz has the wrong checksum`);
      expect([existsSync(join(temp, 'flotilla')), path]).toEqual([false, '']);
    }
    const unknown = runStep('install', { releases, version: '999.0.0' });
    expect([unknown.status, unknown.path]).toEqual([37, '']);
  });

  it('logs in only to a given server, and keeps its address for the following steps', () => {
    const login = action.runs.steps.find(({ name }) => name === 'log in');
    expect([login?.if, action.runs.steps.find(({ name }) => name === 'trust the server')?.if]).toEqual([
      "inputs.url != ''",
      "inputs.ca != ''",
    ]);
    const trust = runStep('trust the server', { ca: 'a certificate' });
    const [, file = ''] = /^FLOTILLA_CA_FILE=(.*)$/m.exec(trust.variables) ?? [];
    expect(readFileSync(file, 'utf8')).toBe('a certificate\n');
    const { path } = runStep('install', { releases });
    const failed = runStep('log in', { url: 'https://127.0.0.1:1' }, { PATH: `${path}:${tools}` });
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain('127.0.0.1:1');
    expect(failed.variables).toBe('');
  });
});
