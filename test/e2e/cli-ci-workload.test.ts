import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import { TestIssuer } from '../../src/server/auth/workload/workload-issuer.fixture.ts';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { releasesUrl } from '../harness/installation/built-archive.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { selfSigned } from '../harness/self-signed.ts';
import { freePorts } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';

const root = new URL('../..', import.meta.url).pathname;
const read = (name: string) => load(readFileSync(join(root, 'examples/ci', name), 'utf8')) as Record<string, unknown>;

interface GithubStep {
  readonly name?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Record<string, string>;
}

interface GithubJob {
  readonly env: Record<string, string>;
  readonly steps: readonly GithubStep[];
  readonly permissions: Record<string, string>;
}

/** Runs the steps of examples/ci as GitHub and GitLab runners do, each in a separate shell. */
describeIfAvailable(kubectlMissing, 'a pipeline', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;
  let variables: Record<string, string>;
  let issuer: TestIssuer;
  let github: Server;
  /** The variables with which GitHub gives a job the permission to request a token. */
  let githubVariables: Record<string, string>;
  let admin: Record<string, string>;

  beforeAll(async () => {
    home = cliHome();
    issuer = await TestIssuer.start();
    const [port] = await freePorts(1);
    const rule = {
      name: 'shop',
      when: 'claims.repository == "acme/shop"',
      user: 'ci-shop',
      scope: { allowPlatformCli: true, projects: [{ project: 'default' }] },
      ttl: 60,
    };
    const config = join(home.folder, 'server.yaml');
    const entry = { name: 'ci', issuer: issuer.url, audiences: [`https://127.0.0.1:${port}`], rules: [rule] };
    writeFileSync(config, JSON.stringify({ auth: { workloadIdentity: [entry] } }));
    flotilla = await startFlotilla({ listen: `127.0.0.1:${port}`, args: ['--config', config] });
    const ca = readFileSync(join(flotilla.dataDirectory, 'ca.crt'), 'utf8');
    admin = {
      FLOTILLA_URL: flotilla.url,
      FLOTILLA_ACCESS_KEY: flotilla.adminKey,
      FLOTILLA_CA_FILE: join(flotilla.dataDirectory, 'ca.crt'),
    };
    await home.ok(['user', 'create', 'ci-shop'], { env: admin });
    await home.ok(['member', 'add', 'ci-shop', '--project', 'default', '--role', 'user'], { env: admin });
    const release = { FLOTILLA_VERSION: description.version, FLOTILLA_RELEASES: await releasesUrl() };
    variables = { ...release, FLOTILLA_URL: flotilla.url, FLOTILLA_CA: ca };
    // The pipelines must run the program that they install, not the one built from these sources.
    rmSync(join(home.folder, 'bin/flotilla'));
    await startGithub();
  });
  afterAll(async () => {
    home.remove();
    github.close();
    await issuer.close();
    await flotilla.remove();
  });

  /** Starts the server from which a job of GitHub Actions requests its token. */
  async function startGithub(): Promise<void> {
    const { cert, key } = await selfSigned();
    github = createServer({ cert, key }, async (request, response) => {
      const audience = new URL(request.url ?? '', 'https://localhost').searchParams.get('audience') ?? '';
      if (request.headers.authorization !== 'Bearer of-the-job') return void response.writeHead(401).end();
      response.end(JSON.stringify({ value: await issuer.sign({ claims: { aud: audience } }) }));
    });
    await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
    const authority = join(home.folder, 'github.crt');
    writeFileSync(authority, cert);
    githubVariables = {
      NODE_EXTRA_CA_CERTS: authority,
      ACTIONS_ID_TOKEN_REQUEST_URL: `https://127.0.0.1:${(github.address() as AddressInfo).port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
    };
  }

  const gitlabToken = () => issuer.sign({ claims: { aud: flotilla.url } });

  function shell(script: string, env: Record<string, string>): Promise<{ code: number; output: string }> {
    return new Promise((resolve) => {
      execFile(
        'bash',
        ['-e', '-c', script],
        { cwd: root, env: { ...process.env, ...home.env, ...env } },
        (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
        },
      );
    });
  }

  const left = async () => await home.ok(['list', '-A', '-o', 'name'], { env: admin });

  it('tests in a virtual cluster on GitHub without a stored secret, and deletes it', async () => {
    const workflow = read('github.yaml') as { jobs: { test: GithubJob } };
    const { env: declared, steps, permissions } = workflow.jobs.test;
    expect(permissions['id-token']).toBe('write');
    expect(readFileSync(join(root, 'examples/ci/github.yaml'), 'utf8')).not.toContain('secrets.');
    const filled = (text: string) =>
      text
        .replaceAll(/\$\{\{ vars\.(\w+) \}\}/g, (_, name: string) => variables[name] ?? '')
        .replaceAll(/\$\{\{ github\.\w+ \}\}/g, '7');
    const exported = join(home.folder, 'github-env');
    const path = join(home.folder, 'github-path');
    let env: Record<string, string> = {
      ...{ RUNNER_TEMP: home.folder, GITHUB_ENV: exported, GITHUB_PATH: path },
      ...githubVariables,
    };
    for (const [name, value] of Object.entries(declared)) env[name] = filled(value);
    expect(env.VIRTUAL_CLUSTER).toBe('ci-7-7');
    for (const step of steps.filter(({ run }) => run !== undefined)) {
      const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]));
      const { code, output } = await shell(step.run ?? '', { ...env, ...own });
      expect({ step: step.name, code, output: code === 0 ? '' : output }).toEqual({
        step: step.name,
        code: 0,
        output: '',
      });
      if (step.name === 'begin') expect(await left()).toContain('ci-7-7');
      if (step.name === 'install') env = { ...env, PATH: `${readFileSync(path, 'utf8').trim()}:${home.env.PATH}` };
      if (step.name === 'trust the server') env = { ...env, ...variablesIn(readFileSync(exported, 'utf8')) };
    }
    expect(steps.find(({ name }) => name === 'end')?.if).toBe('always()');
    expect(await left()).toBe('');
  });

  it('logs in with the action of this repository', async () => {
    const folder = join(root, '.github/actions/setup-flotilla');
    const action = load(readFileSync(join(folder, 'action.yml'), 'utf8')) as { runs: { steps: GithubStep[] } };
    const exported = join(home.folder, 'action-env');
    const env: Record<string, string> = {
      ...{ GITHUB_ACTION_PATH: folder, GITHUB_ENV: exported, GITHUB_PATH: join(home.folder, 'action-path') },
      ...{ FLOTILLA_INSTALL_DIR: join(home.folder, 'action'), FLOTILLA_CONFIG: join(home.folder, 'action.json') },
      ...{ FLOTILLA_CA_FILE: admin.FLOTILLA_CA_FILE ?? '', ...variables, ...githubVariables },
    };
    const run = (name: string) => shell(action.runs.steps.find((step) => step.name === name)?.run ?? 'false', env);
    expect(await run('install')).toMatchObject({ code: 0 });
    env.PATH = `${readFileSync(env.GITHUB_PATH ?? '', 'utf8').trim()}:${home.env.PATH}`;
    expect(await run('log in')).toMatchObject({ code: 0, output: expect.stringContaining('as ci-shop') });
    expect(variablesIn(readFileSync(exported, 'utf8'))).toEqual({ FLOTILLA_URL: flotilla.url });
  });

  it('tests in a virtual cluster on GitLab, and deletes it even after a failed test', async () => {
    const job = Object.values(read('gitlab.yaml'))[0] as Record<
      'before_script' | 'script' | 'after_script',
      string[]
    > & {
      variables: Record<string, string>;
      id_tokens: Record<string, { aud: string }>;
    };
    expect(job.id_tokens.FLOTILLA_ID_TOKEN).toEqual({ aud: '$FLOTILLA_URL' });
    const env = {
      ...variables,
      FLOTILLA_PROJECT: job.variables.FLOTILLA_PROJECT ?? '',
      VIRTUAL_CLUSTER: 'ci-8',
      FLOTILLA_ID_TOKEN: await gitlabToken(),
      FLOTILLA_CONFIG: join(home.folder, 'gitlab.json'),
      FLOTILLA_INSTALL_DIR: join(home.folder, 'job/.flotilla-install'),
    };
    expect(job.variables.FLOTILLA_INSTALL_DIR).toBe('$CI_PROJECT_DIR/.flotilla-install');
    expect(job.variables.VIRTUAL_CLUSTER).toBe('ci-$CI_JOB_ID');
    // The scripts of a job share one shell, but after_script runs in another shell.
    const inFolder = (lines: readonly string[]) =>
      `mkdir -p "$HOME/job"; cd "$HOME/job"; ln -sfn ${root}examples examples\n${lines.join('\n')}`;
    const passed = await shell(inFolder([...job.before_script, ...job.script]), env);
    expect(passed).toMatchObject({ code: 0 });
    expect(await left()).toContain('ci-8');
    const failed = await shell(inFolder([...job.before_script, 'false', ...job.script]), env);
    expect(failed.code).toBe(1);
    expect(await left()).toContain('ci-8');
    expect(await shell(inFolder(job.after_script), env)).toMatchObject({ code: 0 });
    expect(await left()).toBe('');
    // A second run has nothing to delete, which is not an error.
    expect(await shell(inFolder(job.after_script), env)).toMatchObject({ code: 0 });
  });

  it('can use the same scripts with an access key', async () => {
    // The command of examples/ci/README.md.
    const [, command = ''] =
      /^flotilla (access-key create .*)$/m.exec(readFileSync(join(root, 'examples/ci/README.md'), 'utf8')) ?? [];
    await home.ok(command.split(' '), { env: admin });
    const key = readFileSync(join(home.folder, 'ci.key'), 'utf8').trim();
    const env = {
      ...{ FLOTILLA_URL: flotilla.url, FLOTILLA_CA_FILE: admin.FLOTILLA_CA_FILE ?? '', FLOTILLA_ACCESS_KEY: key },
      ...{ FLOTILLA_CONFIG: join(home.folder, 'none.json'), VIRTUAL_CLUSTER: 'ci-9' },
      ...{ FLOTILLA_VERSION: variables.FLOTILLA_VERSION ?? '', FLOTILLA_RELEASES: variables.FLOTILLA_RELEASES ?? '' },
      FLOTILLA_INSTALL_DIR: join(home.folder, 'with-key'),
    };
    const scripts = ['login', 'begin', 'test', 'end'].map((name) => `sh examples/ci/${name}.sh`);
    const install = ['sh examples/ci/install.sh', 'PATH="$FLOTILLA_INSTALL_DIR/bin:$PATH"'];
    expect(await shell([...install, ...scripts].join('\n'), env)).toMatchObject({ code: 0 });
    expect(await left()).toBe('');
  });

  it('renews its access key with the token file of a pod, and prints and saves no token', async () => {
    const tokenFile = join(home.folder, 'token');
    const config = join(home.folder, 'pod.json');
    const env = { FLOTILLA_CONFIG: config, FLOTILLA_CA_FILE: admin.FLOTILLA_CA_FILE ?? '' };
    const token = await gitlabToken();
    writeFileSync(tokenFile, `${token}\n`);
    const login = ['login', flotilla.url, '--workload-identity', '--token-file', 'token'];
    const { code, stdout, stderr } = await home.run(login, { env });
    expect({ code, output: stdout + stderr }).toEqual({ code: 0, output: expect.stringContaining('as ci-shop') });
    const saved = () => JSON.parse(readFileSync(config, 'utf8')).contexts[new URL(flotilla.url).host];
    const first = saved();
    expect(first.workload.tokenFile).toBe(tokenFile);
    for (const text of [stdout, stderr, readFileSync(config, 'utf8')]) expect(text).not.toContain(token);
    expect(stdout + stderr).not.toContain(first.accessKey);
    // The saved access key is due for renewal, and the CI platform has replaced the token.
    const due = { ...first, workload: { ...first.workload, renewAfter: '2026-01-01T00:00:00Z' } };
    const contexts = { [new URL(flotilla.url).host]: due };
    const current = new URL(flotilla.url).host;
    writeFileSync(config, JSON.stringify({ current, contexts }), { mode: 0o600 });
    writeFileSync(tokenFile, await gitlabToken());
    expect(await home.ok(['whoami', '-o', 'jsonpath={.status.user.name}'], { env })).toContain('ci-shop');
    expect(saved().accessKey).not.toBe(first.accessKey);
    // kubectl asks the plugin for another credential when the key expires.
    const credential = JSON.parse(await home.ok(['token', '--exec-credential'], { env }));
    expect(credential.status).toEqual({ token: saved().accessKey, expirationTimestamp: saved().expires });
    // If the key has expired and the token is no longer valid, the command fails with the reason.
    writeFileSync(tokenFile, await issuer.sign({ claims: { aud: flotilla.url, exp: 1 } }));
    const workload = { ...saved().workload, renewAfter: '2026-01-01T00:00:00Z' };
    const expired = { ...saved(), workload, expires: '2026-01-01T00:00:00Z' };
    writeFileSync(config, JSON.stringify({ current, contexts: { [current]: expired } }));
    const refused = await home.run(['whoami'], { env });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('the token has expired (claim exp)');
  });

  it('logs out by deleting its access key', async () => {
    const env = {
      ...{ FLOTILLA_CONFIG: join(home.folder, 'logout.json'), FLOTILLA_CA_FILE: admin.FLOTILLA_CA_FILE ?? '' },
      FLOTILLA_ID_TOKEN: await gitlabToken(),
    };
    await home.ok(['login', flotilla.url, '--workload-identity'], { env });
    const key = JSON.parse(readFileSync(env.FLOTILLA_CONFIG, 'utf8')).contexts[new URL(flotilla.url).host].accessKey;
    await home.ok(['logout'], { env });
    const used = { FLOTILLA_URL: flotilla.url, FLOTILLA_ACCESS_KEY: key, FLOTILLA_CA_FILE: env.FLOTILLA_CA_FILE };
    expect((await home.run(['whoami'], { env: used })).code).toBe(3);
  });

  it('gets a reason if there is no token, or if no rule matches', async () => {
    const env = { FLOTILLA_CONFIG: join(home.folder, 'no.json'), FLOTILLA_CA_FILE: admin.FLOTILLA_CA_FILE ?? '' };
    const login = ['login', flotilla.url, '--workload-identity'];
    const without = await home.run(login, { env });
    expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('id-token: write')]);
    const foreign = await issuer.sign({ claims: { aud: flotilla.url, repository: 'evil/shop' } });
    const denied = await home.run(login, { env: { ...env, FLOTILLA_ID_TOKEN: foreign } });
    expect([denied.code, denied.stderr]).toEqual([3, expect.stringContaining('no rule of the issuer ci matches')]);
    expect(denied.stderr).not.toContain(foreign);
    const job = { ...githubVariables, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-another-job' };
    const unauthorized = await home.run(login, { env: { ...env, ...job } });
    expect(unauthorized.stderr).toContain('GitHub Actions issued no token: its server responded with 401');
    expect(unauthorized.stderr).not.toContain('of-another-job');
  });
});

function variablesIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}
