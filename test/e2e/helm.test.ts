import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, projectRoles, scopeCliFlag } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { findHelm, type Helm, helmWith } from '../harness/run-helm.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { shellBlocks } from '../harness/walk-guide.ts';

const namespace = 'platform-p-apps';
const root = new URL('../..', import.meta.url).pathname;
const chart = join(root, 'examples/chart');
const programs = (['helm', 'helm4'] as const).map((name) => ({ name, path: findHelm(name) }));

describe.each(programs)('$name', ({ name, path = '' }) => {
  const missing = path === '' ? `there is no ${name} (test/tools/build.sh builds it)` : kubectlMissing;

  describeIfAvailable(missing, 'in a project of the management API', () => {
    let flotilla: FlotillaProcess;
    let admin: Kubectl;
    const folder = mkdtempSync(join(tmpdir(), 'helm-e2e-'));

    /** Creates a kubeconfig with a new key of a user of the project. Returns helm with this kubeconfig. */
    async function helmOf(
      user: string,
      scope: JsonObject | null = null,
      variables: Readonly<Record<string, string>> = {},
    ): Promise<Helm> {
      const key = {
        apiVersion: `${managementGroup}/v1`,
        kind: 'OwnedAccessKey',
        metadata: { generateName: `${user}-` },
        spec: { user, scope },
      };
      const token = await admin.ok(['create', '-f', '-', '-o', 'jsonpath={.spec.key}'], { input: JSON.stringify(key) });
      const file = join(folder, `${user}.kubeconfig`);
      const ca = readFileSync(join(flotilla.dataDirectory, 'ca.crt')).toString('base64');
      const cluster = { server: `${flotilla.url}/kubernetes/management`, 'certificate-authority-data': ca };
      writeFileSync(
        file,
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Config',
          'current-context': 'c',
          contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace } }],
          clusters: [{ name: 'c', cluster }],
          users: [{ name: 'u', user: { token } }],
        }),
      );
      return helmWith(path, file, folder, variables);
    }

    const field = (what: string, expression: string) =>
      admin.ok(['get', ...what.split(' '), '--namespace', namespace, '-o', `jsonpath={${expression}}`]);
    const releases = async (helm: Helm) =>
      (JSON.parse(await helm('list', '-o', 'json')) as JsonObject[]).map(({ name: release, revision, status }) => [
        release,
        String(revision),
        status,
      ]);
    const wait = ['--wait', '--timeout', '60s'];

    beforeAll(async () => {
      flotilla = await startFlotilla();
      admin = kubectlWith(flotilla.kubeconfig);
      const members = ['dana', 'eric'].map((user) => ({ kind: 'User', name: user, clusterRole: projectRoles.user }));
      const objects = [
        ...members.map((member) => ({ kind: 'User', metadata: { name: member.name } })),
        {
          kind: 'Project',
          metadata: { name: 'apps' },
          spec: { members, allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] },
        },
      ].map((object) => ({ apiVersion: `${managementGroup}/v1`, ...object }));
      await admin.ok(['create', '-f', '-'], {
        input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
      });
    });
    afterAll(async () => {
      await flotilla.remove();
      rmSync(folder, { recursive: true });
    });

    it('installs a chart, upgrades it, rolls it back and uninstalls it', async () => {
      const helm = await helmOf('dana');
      const accessKey = 'Zq4vLw9XkT2mB7cR5yN8pD3fH6jS1aGe0oQu';
      const installed = await helm('install', 'demo', chart, ...wait, '--set', `accessKey=${accessKey}`);
      expect(installed).toMatch(/STATUS: deployed/);
      // Only helm 4 waits for custom resources.
      if (name === 'helm4') expect(await field('vci demo', '.status.phase')).toBe('Ready');
      expect(await field('vci demo', '.spec.owner.user')).toBe('dana');
      expect(await field('cm demo-settings', '.data.environment')).toBe('test');
      const accessKeyOf = await field(`accesskey ${namespace}-demo`, '.spec.scope.virtualClusters[0]');
      expect(JSON.parse(accessKeyOf)).toEqual({ project: 'apps', virtualCluster: 'demo' });
      expect(await releases(helm)).toEqual([['demo', '1', 'deployed']]);
      expect(await field('secret sh.helm.release.v1.demo.v1', '.type')).toBe('helm.sh/release.v1');

      const change = ['--reuse-values', '--set', 'displayName=Changed,settings.environment=production'];
      await helm('upgrade', 'demo', chart, ...wait, ...change);
      expect(await field('vci demo', '.spec.displayName')).toBe('Changed');
      expect(await field('cm demo-settings', '.data.environment')).toBe('production');
      expect(await releases(helm)).toEqual([['demo', '2', 'deployed']]);

      await helm('rollback', 'demo', '1', ...wait);
      expect(await field('vci demo', '.spec.displayName')).toBe('demo');
      expect(await field('cm demo-settings', '.data.environment')).toBe('test');
      const history = JSON.parse(await helm('history', 'demo', '-o', 'json')) as JsonObject[];
      expect(history.map(({ status }) => status)).toEqual(['superseded', 'superseded', 'deployed']);
      expect(await helm('status', 'demo')).toMatch(/REVISION: 3/);

      await helm('uninstall', 'demo', ...wait);
      expect(await releases(helm)).toEqual([]);
      for (const what of ['vci', 'cm', 'secret']) {
        expect(await admin.ok(['get', what, '--namespace', namespace, '-o', 'name'])).toBe('');
      }
      expect(await admin.ok(['get', 'accesskeys', '-o', 'name'])).not.toContain(`${namespace}-demo`);
    });

    it('keeps releases in ConfigMaps if HELM_DRIVER says so', async () => {
      const helm = await helmOf('dana', null, { HELM_DRIVER: 'configmap' });
      await helm('install', 'other', chart, ...wait);
      expect(await admin.ok(['get', 'cm', '--namespace', namespace, '-l', 'owner=helm', '-o', 'name'])).toBe(
        'configmap/sh.helm.release.v1.other.v1\n',
      );
      await helm('uninstall', 'other', ...wait);
    });

    it('shows the releases of a user to nobody else, and works with a key for the project alone', async () => {
      const dana = await helmOf('dana', { [scopeCliFlag]: true, projects: [{ project: 'apps' }] });
      const eric = await helmOf('eric');
      await dana('install', 'own', chart, ...wait);
      expect(await releases(dana)).toEqual([['own', '1', 'deployed']]);
      expect(await releases(eric)).toEqual([]);
      await expect(eric('install', 'own', chart)).rejects.toThrow(/own/);
      await expect(dana('list', '--namespace', 'platform-p-default')).rejects.toThrow(/forbidden/);
      await dana('uninstall', 'own', ...wait);
    });

    it('runs the commands of the guide', async () => {
      const commands = shellBlocks('gitops.md', 'Helm');
      expect(commands.join('\n')).toContain('helm rollback');
      const bin = mkdtempSync(join(folder, 'bin-'));
      symlinkSync(path, join(bin, 'helm'));
      const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, KUBECONFIG: flotilla.kubeconfig, HOME: folder };
      const shell = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], { cwd: root, env });
      const { stdout } = await shell;
      expect(stdout).toMatch(/STATUS: deployed/);
      expect(stdout).toMatch(/Rollback was a success/);
      expect(stdout).toMatch(/release "demo" uninstalled/);
    });

    it('cannot create a namespace', async () => {
      const helm = await helmOf('dana');
      const installing = helm('install', 'x', chart, '--namespace', 'elsewhere', '--create-namespace');
      await expect(installing).rejects.toThrow(/namespace/);
      expect(await admin.ok(['get', 'namespaces', '-o', 'name'])).not.toContain('elsewhere');
    });
  });
});
