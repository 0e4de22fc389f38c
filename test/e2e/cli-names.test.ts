import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';

describe('the CLI with names that do not exist', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;
  beforeAll(async () => {
    flotilla = await startFlotilla();
    home = cliHome();
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    await home.ok(['login', flotilla.url, '--ca-file', ca, '--access-key-stdin'], { input: flotilla.adminKey });
    await home.ok(['create', 'demo', '--wait']);
    await home.ok(['user', 'create', 'anna']);
    await home.ok(['project', 'create', 'payments']);
  });
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
  });

  const refused = async (code: number, message: string, ...args: string[]) =>
    expect(await home.run(args)).toEqual({ code, stdout: '', stderr: `flotilla: ${message}\n` });

  it('names what exists, or what was probably meant', async () => {
    await refused(
      4,
      'template "x1" not found in project "default"; there are: control-plane',
      ...['create', 'x', '--template', 'x1'],
    );
    await refused(4, 'virtual cluster "dmeo" not found in project "default"; did you mean "demo"?', 'get', 'dmeo');
    await refused(4, 'project "paymnets" not found; did you mean "payments"?', 'list', '-p', 'paymnets');
    await refused(
      4,
      'template "control-plan" not found in project "default"; did you mean "control-plane"?',
      ...['template', 'get', 'control-plan'],
    );
  });

  it('shows the response of the server with -v, before or after the command', async () => {
    const response =
      'the server responded: 422 Invalid VirtualClusterInstance.management.platform.sh "x" is invalid: spec.templateRef.name: Not found: "x1"\n';
    const args = ['create', 'x', '--template', 'x1'];
    for (const given of [
      ['-v', ...args],
      [...args, '--verbose'],
    ]) {
      const { code, stderr } = await home.run(given);
      expect(code).toBe(4);
      expect(stderr.endsWith(`there are: control-plane\n${response}`)).toBe(true);
    }
  });

  const later = '; for a name that will exist later, add --allow-missing';

  it('gives no access to a mistyped user, team or member', async () => {
    await refused(4, `user "ana" not found; did you mean "anna"?${later}`, 'share', 'demo', '--user', 'ana');
    await refused(4, `team "crew" not found; there are none${later}`, 'share', 'demo', '--team', 'crew');
    await refused(4, `user "ana" not found; did you mean "anna"?${later}`, 'member', 'add', 'ana');
    const share = ['share', 'demo', '--user', 'anna', '--role'];
    const laterRole = '; for a role that will exist later, add --allow-missing';
    const role = (name: string) => `cluster role "${name}" not found in virtual cluster "demo"; `;
    await refused(4, `${role('eddit')}did you mean "edit"?${laterRole}`, ...share, 'eddit');
    const usual = 'the usual ones are: view, edit, admin, cluster-admin';
    await refused(4, `${role('operator')}${usual}${laterRole}`, ...share, 'operator');
    expect(await home.ok(['share', 'demo'])).not.toMatch(/ana|anna|crew/);
    await home.ok([...share, 'edit']);
    await home.ok([...share, 'operator', '--allow-missing']);
    await home.ok(['share', 'demo', '--user', 'anna']);
    await refused(
      4,
      'virtual cluster "demo" is not shared with user "ana"; did you mean "anna"?',
      ...['share', 'demo', '--user', 'ana', '--remove'],
    );
    const shared = await home.run(['share', 'demo', '--user', 'berta', '--allow-missing']);
    expect(shared).toMatchObject({ code: 0, stderr: expect.stringContaining('user "berta" does not exist yet') });
    // A user who no longer exists can still be removed.
    await home.ok(['share', 'demo', '--user', 'berta', '--remove']);
  });

  it('gives edit when sharing without a role, or the default role of the template, and says so', async () => {
    const shared = (role: string) => `virtual cluster "demo" shared with anna, with the cluster role ${role}\n`;
    await home.ok(['share', 'demo', '--user', 'anna', '--role', 'cluster-admin']);
    expect(await home.ok(['share', 'demo', '--user', 'anna'])).toBe(shared('edit'));
    expect(await home.ok(['share', 'demo'])).toMatch(/^anna +cluster role edit$/m);
    expect(await home.ok(['share', 'demo'])).not.toContain('cluster-admin');
    expect(await home.ok(['share', 'demo', '--user', 'anna', '--role', 'cluster-admin'])).toBe(shared('cluster-admin'));
    const file = join(home.folder, 'viewers.yaml');
    for (const [kind, template] of [
      ['VirtualClusterTemplate', 'viewers'],
      ['SpaceTemplate', 'readers'],
    ]) {
      const metadata = `metadata: {name: ${template}}`;
      const spec = 'spec: {template: {access: {defaultClusterRole: view}}}';
      writeFileSync(file, `apiVersion: management.platform.sh/v1\nkind: ${kind}\n${metadata}\n${spec}\n`);
      await home.ok(['apply', '-f', file]);
    }
    await home.ok(['create', 'read', '--template', 'viewers', '--wait']);
    expect(await home.ok(['share', 'read', '--user', 'anna'])).toContain('with the cluster role view\n');
    await home.ok(['space', 'create', 'docs', '--wait']);
    expect(await home.ok(['space', 'share', 'docs', '--user', 'anna'])).toContain('with the cluster role edit\n');
    await home.ok(['space', 'create', 'notes', '--template', 'readers', '--wait']);
    expect(await home.ok(['space', 'share', 'notes', '--user', 'anna'])).toContain('with the cluster role view\n');
  });

  it('creates no key with a mistyped scope', async () => {
    const create = ['access-key', 'create', 'ci', '--file', join(home.folder, 'ci.key')];
    const project = `project "defalut" not found; did you mean "default"?${later}`;
    await refused(4, project, ...create, '--scope-project', 'defalut');
    await refused(4, project, ...create, '--scope-virtual-cluster', 'defalut/demo');
    await refused(
      4,
      `virtual cluster "dmo" not found in project "default"; did you mean "demo"?${later}`,
      ...create,
      ...['--scope-virtual-cluster', 'default/dmo'],
    );
    await refused(4, `cluster "locl" not found; did you mean "local"?${later}`, ...create, '--scope-cluster', 'locl');
    await refused(4, project, 'token', '--direct', '--scope-project', 'defalut');
    await refused(
      4,
      'you have no access key "ci"; list yours with: flotilla access-key list; administrators reach the keys of other users with --all',
      ...['access-key', 'get', 'ci'],
    );
    await home.ok([...create, '--scope-project', '*', '--scope-virtual-cluster', 'later/on', '--allow-missing']);
  });
});
