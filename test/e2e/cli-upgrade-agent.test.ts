import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';

const { version } = description;
const chart = 'oci://registry.example.com/charts/flotilla-agent';

describe('flotilla cluster upgrade-agent --run', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;
  const path = (name: string) => join(home.folder, name);
  const recorded = () =>
    existsSync(path('calls'))
      ? readFileSync(path('calls'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];

  /**
   * Installs a fake helm that records its arguments and then runs `code`. In `code`, `release` is the name of the
   * release.
   */
  function installHelm(code: string): void {
    const program = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const { request } = require('node:https');
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(path('calls'))}, JSON.stringify(args) + '\\n');
const release = args[1];
const upgraded = (args.find((one) => one.startsWith('image.tag=')) || '').slice('image.tag='.length);
/** Announces a version, as the agent of the new pod does. */
function announce(version) {
  const body = { url: 'https://127.0.0.1:1', authority: '', credential: 'c', host: 'built-in', version };
  const key = readFileSync(${JSON.stringify(`${home.folder}/`)} + release + '.key', 'utf8').trim();
  const url = ${JSON.stringify(flotilla.url)} + '/kubernetes/agent/edge/announcement';
  const ca = readFileSync(${JSON.stringify(join(flotilla.dataDirectory, 'ca.crt'))});
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const facts = { release: { name: release, namespace: 'agents' } };
  request(url, { method: 'PUT', ca, headers }, (answer) => {
    answer.resume();
    if (answer.statusCode !== 200) process.exitCode = 9;
  }).end(JSON.stringify({ ...body, ...facts }));
}
${code}
`;
    writeFileSync(join(home.folder, 'bin', 'helm'), program, { mode: 0o755 });
  }

  /** Announces an old version with the installed fake helm. */
  async function announceOld(): Promise<void> {
    installHelm("announce('0.0.9');");
    const started = home.inTerminal(['helm', 'upgrade', 'edge-agent']);
    expect(await started.ended).toBe(0);
    rmSync(path('calls'));
    await expect
      .poll(async () => await home.ok(['cluster', 'get', 'edge']), { timeout: 20_000 })
      .toContain(`0.0.9 (${version} available)`);
  }

  const upgrade = (...more: string[]) =>
    home.run(['cluster', 'upgrade-agent', 'edge', '--chart', chart, '--run', ...more]);

  beforeAll(async () => {
    home = cliHome();
    flotilla = await startFlotilla();
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    await home.ok(['login', flotilla.url, '--ca-file', ca, '--access-key-stdin'], { input: flotilla.adminKey });
    await home.ok(['cluster', 'add', 'edge', '--agent']);
    await home.ok(['cluster', 'agent-key', 'edge', '--file', path('edge-agent.key')]);
  });
  beforeEach(announceOld);
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
  });

  it('runs helm with the kubeconfig of the user, shows the command, and waits for the new version', async () => {
    installHelm("console.log('Release upgraded'); announce(upgraded);");
    const { code, stdout, stderr } = await upgrade(
      '--kubeconfig',
      'my file',
      '--kube-context',
      'edge',
      '--timeout',
      '60s',
    );
    expect({ code, stdout }, stderr).toEqual({
      code: 0,
      stdout: `release "edge-agent" in namespace "agents" upgraded to ${version}\n`,
    });
    const values = ['--reset-then-reuse-values', '--set', `image.tag=${version}`];
    const [call] = recorded();
    expect(call).toEqual([
      ...['upgrade', 'edge-agent', chart, '--namespace', 'agents', ...values, '--wait', '--timeout'],
      expect.stringMatching(/^(60|5\d)s$/),
      ...['--kubeconfig', 'my file', '--kube-context', 'edge'],
    ]);
    expect(recorded()).toHaveLength(1);
    expect(stderr).toContain(`running: helm upgrade edge-agent ${chart} --namespace agents`);
    expect(stderr).toContain("--kubeconfig 'my file' --kube-context edge\nRelease upgraded\n");
    expect(stderr).toMatch(new RegExp(`✓ version ${version} announced`));
    const again = await upgrade();
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('have the version of the server') });
    expect(recorded()).toHaveLength(1);
  });

  it('fails if helm fails, and if the agent does not announce the new version in time', async () => {
    installHelm("console.error('Error: UPGRADE FAILED: no such release'); process.exit(7);");
    const failed = await upgrade();
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/Error: UPGRADE FAILED: no such release\nflotilla: helm failed with exit code 7; /);
    installHelm('');
    const late = await upgrade('--timeout', '2s');
    expect(late).toMatchObject({ code: 6, stdout: '' });
    expect(late.stderr).toContain(
      `flotilla: timed out waiting for the agents of release "edge-agent" to announce version ${version}: `,
    );
  });

  it('says what to do if there is no helm, and accepts options of helm only with --run', async () => {
    rmSync(join(home.folder, 'bin', 'helm'));
    const PATH = `${join(home.folder, 'bin')}:${process.execPath.replace(/\/[^/]*$/, '')}`;
    const args = ['cluster', 'upgrade-agent', 'edge', '--chart', chart, '--run'];
    const missing = await home.run(args, { env: { PATH } });
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain(
      'flotilla: program "helm" not found; install Helm 3.14 or newer, or run the command',
    );
    const printed = await home.run(['cluster', 'upgrade-agent', 'edge', '--kube-context', 'x']);
    expect(printed).toMatchObject({ code: 2, stderr: expect.stringContaining('--kube-context requires --run') });
  });
}, 120_000);
