import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';

describe('the CLI with objects of every kind', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;
  beforeAll(async () => {
    flotilla = await startFlotilla();
    home = cliHome();
    home.env.KUBECONFIG = join(home.folder, 'kubeconfig');
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    await home.ok(['login', flotilla.url, '--ca-file', ca, '--access-key-stdin'], { input: flotilla.adminKey });
    await home.ok(['create', 'demo', '--wait']);
  });
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
  });

  it('shows ten lines without arguments', async () => {
    const { code, stdout, stderr } = await home.run([]);
    expect({ code, stderr, lines: stdout.trimEnd().split('\n').length }).toEqual({ code: 0, stderr: '', lines: 10 });
    expect(stdout).toMatch(/^ {2}flotilla create NAME --connect {2}/m);
  });

  it('lists and gets any kind, in any output format, also with -o before the command', async () => {
    expect(await home.ok(['list', 'projects'])).toMatch(/^NAME .*\ndefault +Default /);
    expect(await home.ok(['list', 'Template'])).toMatch(/^control-plane /m);
    expect(await home.ok(['-o', 'name', 'list', 'vci'])).toBe('virtualclusterinstance.management.platform.sh/demo\n');
    expect(await home.ok(['list', 'namespaces', '-o', 'name'])).toContain('namespace/platform-p-default\n');
    expect(await home.ok(['get', 'project/default', '-o', 'jsonpath={.kind}'])).toBe('Project');
    expect(await home.ok(['get', 'demo', 'cluster/local', 'project/default'])).toMatch(
      /^NAME +STATUS.*\ndemo .*\nNAME .*\nlocal .*\nNAME .*\ndefault /,
    );
    expect(await home.run(['list', 'projcts'])).toEqual({
      code: 4,
      stdout: '',
      stderr: 'flotilla: the server has no kind "projcts"; did you mean "projects"?\n',
    });
    expect(await home.run(['get', 'cluster', 'local'])).toEqual({
      code: 4,
      stdout: '',
      stderr: 'flotilla: virtual cluster "cluster" not found; for the cluster: flotilla get cluster/local\n',
    });
    expect(await home.run(['-o', 'json', 'sleep', 'demo'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'flotilla: flotilla sleep has no option --output\n',
    });
  });

  it('shows more of a project with -o wide', async () => {
    expect(await home.ok(['project', 'get', 'default', '-o', 'wide'])).toMatch(
      /^NAME +DISPLAY NAME +AGE +MEMBERS +CLUSTERS +TEMPLATES\ndefault +Default +\S+ +0 +\* +\*\n$/,
    );
  });

  it('says how a new user can sign in', async () => {
    const { code, stdout, stderr } = await home.run(['user', 'create', 'anna']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'user "anna" created\n' });
    const [, next = ''] = /that this prints: flotilla (.*)\n$/.exec(stderr) ?? [];
    expect(await home.ok(next.split(' '))).toMatch(/^https:.*\/reset#flk_\w+\n$/);
  });

  it('accepts the former name of --allow-cli', async () => {
    const create = ['access-key', 'create', '--scope-project', 'default', '-o', 'jsonpath={.spec.scope}'];
    const [now, formerly] = [await home.ok([...create, '--allow-cli']), await home.ok([...create, '--cli-only'])];
    expect(now).toContain('"default"');
    expect(formerly).toBe(now);
    expect(await home.ok(['access-key', 'create', '--help'])).not.toContain('--cli-only');
  });

  it('removes the context of a deleted virtual cluster from other kubeconfigs too', async () => {
    const other = join(home.folder, 'other');
    await home.ok(['connect', 'demo']);
    await home.ok(['connect', 'demo'], { env: { KUBECONFIG: other } });
    expect(readFileSync(other, 'utf8')).toContain('flotilla/default/demo');
    const third = { KUBECONFIG: join(home.folder, 'third') };
    const { code, stderr } = await home.run(['delete', 'demo', '--wait'], { env: third });
    expect(code).toBe(0);
    for (const file of [home.env.KUBECONFIG ?? '', other]) {
      expect(stderr).toContain(`context flotilla/default/demo removed from ${file}\n`);
      expect(readFileSync(file, 'utf8')).not.toContain('flotilla/default/demo');
    }
  });
});
