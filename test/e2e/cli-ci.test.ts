import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const root = new URL('../..', import.meta.url).pathname;
const read = (name: string) => load(readFileSync(join(root, 'examples/ci', name), 'utf8')) as Record<string, unknown>;

interface GithubStep {
  readonly name?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Record<string, string>;
}

/** The steps of examples/ci, run as GitHub and GitLab runners do: each in a separate shell. */
describeIfAvailable(kubectlMissing, 'a pipeline with a scoped key', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;
  let variables: Record<string, string>;

  beforeAll(async () => {
    flotilla = await startFlotilla();
    home = cliHome();
    const ca = readFileSync(join(flotilla.dataDirectory, 'ca.crt'), 'utf8');
    const admin = {
      FLOTILLA_URL: flotilla.url,
      FLOTILLA_ACCESS_KEY: flotilla.adminKey,
      FLOTILLA_CA_FILE: join(flotilla.dataDirectory, 'ca.crt'),
    };
    // The command of examples/ci/README.md.
    const [, command = ''] =
      /^flotilla (access-key create .*)$/m.exec(readFileSync(join(root, 'examples/ci/README.md'), 'utf8')) ?? [];
    await home.ok(command.split(' '), { env: admin });
    const key = readFileSync(join(home.folder, 'ci.key'), 'utf8').trim();
    variables = { FLOTILLA_URL: flotilla.url, FLOTILLA_ACCESS_KEY: key, FLOTILLA_CA: ca };
  });
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
  });

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

  const left = async () => {
    const env = {
      FLOTILLA_URL: flotilla.url,
      FLOTILLA_ACCESS_KEY: flotilla.adminKey,
      FLOTILLA_CA_FILE: join(flotilla.dataDirectory, 'ca.crt'),
    };
    return await home.ok(['list', '-A', '-o', 'name'], { env });
  };

  it('tests in a virtual cluster on GitHub, and deletes it', async () => {
    const workflow = read('github.yaml') as { jobs: { test: { env: Record<string, string>; steps: GithubStep[] } } };
    const { env: declared, steps } = workflow.jobs.test;
    const filled = (text: string) =>
      text
        .replaceAll(/\$\{\{ (?:vars|secrets)\.(\w+) \}\}/g, (_, name: string) => variables[name] ?? '')
        .replaceAll(/\$\{\{ github\.\w+ \}\}/g, '7');
    const exported = join(home.folder, 'github-env');
    let env: Record<string, string> = { RUNNER_TEMP: home.folder, GITHUB_ENV: exported };
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
      if (step.name === 'trust the server') env = { ...env, ...variablesIn(readFileSync(exported, 'utf8')) };
    }
    expect(steps.find(({ name }) => name === 'end')?.if).toBe('always()');
    expect(await left()).toBe('');
  });

  it('tests in a virtual cluster on GitLab, and deletes it even after a failed test', async () => {
    const job = Object.values(read('gitlab.yaml'))[0] as Record<
      'before_script' | 'script' | 'after_script',
      string[]
    > & {
      variables: Record<string, string>;
    };
    const env = { ...variables, FLOTILLA_PROJECT: job.variables.FLOTILLA_PROJECT ?? '', VIRTUAL_CLUSTER: 'ci-8' };
    expect(job.variables.VIRTUAL_CLUSTER).toBe('ci-$CI_JOB_ID');
    // The scripts of a job share one shell; after_script runs in another.
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
});

function variablesIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}
