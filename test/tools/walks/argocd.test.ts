import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../../harness/kubectl.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { engineMissing, GitOpsEngine } from './gitops-engine.ts';
import { copyGitOpsExamples } from './gitops-examples.ts';
import { writeVirtualClusterKubeconfig } from './virtual-cluster-kubeconfig.ts';

/**
 * Writes the connection in an Argo CD cluster Secret as a kubeconfig beside the Secret's file. Returns the kubeconfig's
 * path.
 */
function kubeconfigOfClusterSecret(file: string): string {
  const { stringData } = load(readFileSync(file, 'utf8')) as { stringData: { server: string; config: string } };
  const { bearerToken, tlsClientConfig } = JSON.parse(stringData.config);
  const cluster = { server: stringData.server, 'certificate-authority-data': tlsClientConfig.caData };
  const path = `${file}.kubeconfig`;
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'flotilla',
    contexts: [{ name: 'flotilla', context: { cluster: 'flotilla', user: 'flotilla' } }],
    clusters: [{ name: 'flotilla', cluster }],
    users: [{ name: 'flotilla', user: { token: bearerToken } }],
  };
  writeFileSync(path, JSON.stringify(kubeconfig), { mode: 0o600 });
  return path;
}

describeIfAvailable(
  kubectlMissing ?? engineMissing,
  'the manifests of the GitOps guide, with the engine of Argo CD',
  () => {
    let folder: string;
    let repository: string;
    let flotilla: FlotillaProcess;
    let kubectl: Kubectl;
    let engine: GitOpsEngine;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'argocd-'));
      repository = join(folder, 'repository');
      mkdirSync(repository);
      flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla') });
      kubectl = kubectlWith(flotilla.kubeconfig);
      copyGitOpsExamples('flux', join(folder, 'flux'));
      copyGitOpsExamples('contents', join(folder, 'contents'));
      copyGitOpsExamples('argocd', join(folder, 'argocd'), {
        'https://127.0.0.1:8443': flotilla.url,
        '<access key>': flotilla.adminKey,
        '<base64 of ca.crt>': readFileSync(join(flotilla.dataDirectory, 'ca.crt')).toString('base64'),
      });
      engine = new GitOpsEngine(kubeconfigOfClusterSecret(join(folder, 'argocd/cluster.yaml')), repository);
    });
    afterAll(async () => {
      engine.stop();
      await flotilla.remove();
      rmSync(folder, { recursive: true });
    });

    const instance = async (name: string) =>
      JSON.parse(await kubectl.ok(['get', 'vci', name, '-n', 'platform-p-previews', '-o', 'json']));

    it('creates the objects and reports them as healthy when they are ready', async () => {
      copyFileSync(join(folder, 'flux/project.yaml'), join(repository, 'project.yaml'));
      await engine.synchronize();
      copyFileSync(join(folder, 'flux/instances.yaml'), join(repository, 'instances.yaml'));
      expect(await engine.synchronize()).toMatch(/Healthy .*VirtualClusterInstance\/platform-p-previews\/blue/);
      for (const name of ['blue', 'green']) expect(await instance(name)).toMatchObject({ status: { phase: 'Ready' } });
    });

    it('changes nothing without a reason, and reverts a change by another client', async () => {
      const before = await instance('green');
      await engine.synchronize();
      expect((await instance('green')).metadata.generation).toBe(before.metadata.generation);
      const patch = ['--type=merge', '-p', '{"spec":{"displayName":"Red"}}'];
      await kubectl.ok(['patch', 'vci', 'blue', '-n', 'platform-p-previews', ...patch]);
      await engine.synchronizeUntil(() => instance('blue'), { spec: { displayName: 'Blue' } });
    });

    it('does the same inside a virtual cluster, with a definition and an object of its kind', async () => {
      const kubeconfig = await writeVirtualClusterKubeconfig(flotilla, folder, { project: 'previews', name: 'blue' });
      const inside = kubectlWith(kubeconfig);
      const manifests = join(folder, 'contents');
      const insideEngine = new GitOpsEngine(kubeconfig, manifests);
      const live = async (...args: string[]) => JSON.parse(await inside.ok(['get', ...args, '-o', 'json']));
      const site = () => live('site', 'shop', '-n', 'shop');
      try {
        expect(await insideEngine.synchronize()).toMatch(/Synced .*CustomResourceDefinition\/\/sites\.example\.com/);
        // The engine reads discovery once per synchronization, so only its second synchronization finds the new kind.
        expect(await insideEngine.synchronize()).toMatch(/Synced example\.com\/Site\/shop\/shop/);
        const before = await site();
        expect(before.spec).toEqual({ host: 'shop.example.com', replicas: 1 });
        await insideEngine.synchronize();
        expect(await site()).toEqual(before);
        await inside.ok(['patch', 'site', 'shop', '-n', 'shop', '--type=merge', '-p', '{"spec":{"host":"elsewhere"}}']);
        await insideEngine.synchronizeUntil(site, { spec: { host: 'shop.example.com' } });
        rmSync(join(manifests, 'shop.yaml'));
        await insideEngine.synchronize();
        await inside.ok(['wait', '--for=delete', 'namespace/shop', 'crd/sites.example.com', '--timeout=60s']);
      } finally {
        insideEngine.stop();
      }
    });

    it('prunes objects whose manifests are gone', async () => {
      rmSync(join(repository, 'instances.yaml'));
      await engine.synchronize();
      await kubectl.ok(['wait', '--for=delete', 'vci', '--all', '-n', 'platform-p-previews', '--timeout=60s']);
      expect(await kubectl.ok(['get', 'project', 'previews', '-o', 'name'])).toContain('previews');
    });
  },
);
