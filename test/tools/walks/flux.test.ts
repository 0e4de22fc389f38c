import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../../harness/kubectl.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { copyGitOpsExamples } from './gitops-examples.ts';
import { pathOfProgram } from './path-of-program.ts';
import { writeVirtualClusterKubeconfig } from './virtual-cluster-kubeconfig.ts';

const fluxMissing =
  pathOfProgram('flux-sync') === undefined
    ? 'flux-sync is not on PATH (bash test/tools/build.sh <folder> clients builds it)'
    : undefined;

describeIfAvailable(
  kubectlMissing ?? fluxMissing,
  "the Flux manifests of the GitOps guide, with Flux's packages",
  () => {
    let folder: string;
    let flotilla: FlotillaProcess;
    let kubectl: Kubectl;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'flux-'));
      flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla') });
      kubectl = kubectlWith(flotilla.kubeconfig);
      for (const name of ['flux', 'contents']) copyGitOpsExamples(name, join(folder, name));
    });
    afterAll(async () => {
      await flotilla.remove();
      rmSync(folder, { recursive: true });
    });

    const sync = async (command: 'apply' | 'delete', file: string, kubeconfig = flotilla.kubeconfig) =>
      (await promisify(execFile)('flux-sync', [kubeconfig, command, join(folder, file)])).stdout;
    const instance = async (name: string) =>
      JSON.parse(await kubectl.ok(['get', 'vci', name, '-n', 'platform-p-previews', '-o', 'json']));

    it('creates the objects, and returns when the virtual clusters are ready', async () => {
      expect(await sync('apply', 'flux/project.yaml')).toMatch(/Project\/previews created/);
      expect(await sync('apply', 'flux/instances.yaml')).toMatch(/blue created[\s\S]*green created/);
      for (const name of ['blue', 'green']) expect(await instance(name)).toMatchObject({ status: { phase: 'Ready' } });
    });

    it('finds no drift afterwards, and reverts a change by another client', async () => {
      expect(await sync('apply', 'flux/instances.yaml')).toMatch(/blue unchanged[\s\S]*green unchanged/);
      const patch = ['--type=merge', '-p', '{"spec":{"displayName":"Red"}}'];
      await kubectl.ok(['patch', 'vci', 'blue', '-n', 'platform-p-previews', ...patch]);
      expect(await sync('apply', 'flux/instances.yaml')).toMatch(/blue configured[\s\S]*green unchanged/);
      expect(await instance('blue')).toMatchObject({
        metadata: { generation: 3 },
        spec: { displayName: 'Blue' },
        status: { observedGeneration: 3 },
      });
    });

    it('does the same inside a virtual cluster, with a definition and an object of its kind', async () => {
      const kubeconfig = await writeVirtualClusterKubeconfig(flotilla, folder, { project: 'previews', name: 'blue' });
      const inside = kubectlWith(kubeconfig);
      const apply = async () => (await sync('apply', 'contents/shop.yaml', kubeconfig)).trim().split('\n').sort();
      const objects = [
        'ConfigMap/shop/settings',
        'CustomResourceDefinition/sites.example.com',
        'Namespace/shop',
        'Site/shop/shop',
      ];
      expect(await apply()).toEqual(objects.map((object) => `${object} created`));
      expect(await apply()).toEqual(objects.map((object) => `${object} unchanged`));
      await inside.ok(['patch', 'site', 'shop', '-n', 'shop', '--type=merge', '-p', '{"spec":{"host":"elsewhere"}}']);
      expect(await apply()).toContain('Site/shop/shop configured');
      expect(await inside.ok(['get', 'site', 'shop', '-n', 'shop', '-o', 'jsonpath={.spec}'])).toBe(
        '{"host":"shop.example.com","replicas":1}',
      );
      await sync('delete', 'contents/shop.yaml', kubeconfig);
      expect((await inside.run(['get', 'namespace', 'shop'])).stderr).toContain('not found');
      expect((await inside.run(['get', 'crd', 'sites.example.com'])).stderr).toContain('not found');
    });

    it('prunes the objects, and returns when nothing is left', async () => {
      expect(await sync('delete', 'flux/instances.yaml')).toMatch(/blue deleted/);
      expect(await kubectl.ok(['get', 'vci', '-n', 'platform-p-previews', '-o', 'name'])).toBe('');
      await sync('delete', 'flux/project.yaml');
      expect((await kubectl.run(['get', 'project', 'previews'])).stderr).toContain('not found');
    });
  },
);
