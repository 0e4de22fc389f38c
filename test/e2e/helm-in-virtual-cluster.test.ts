import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { findHelm, type Helm, helmWith } from '../harness/run-helm.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { writeVirtualClusterKubeconfig } from '../tools/walks/virtual-cluster-kubeconfig.ts';

const chart = join(new URL('../harness', import.meta.url).pathname, 'workload-chart');
const programs = (['helm', 'helm4'] as const).map((name) => ({ name, path: findHelm(name) }));

describe.each(programs)('$name', ({ name, path = '' }) => {
  const missing = path === '' ? `there is no ${name} (test/tools/build.sh builds it)` : kubectlMissing;

  describeIfAvailable(missing, 'in a virtual cluster', () => {
    let flotilla: FlotillaProcess;
    let inside: Kubectl;
    let helm: Helm;
    const folder = mkdtempSync(join(tmpdir(), 'helm-inside-'));

    beforeAll(async () => {
      flotilla = await startFlotilla();
      const admin = kubectlWith(flotilla.kubeconfig);
      const instance = {
        apiVersion: `${managementGroup}/v1`,
        kind: 'VirtualClusterInstance',
        metadata: { name: 'inside', namespace: 'platform-p-default' },
      };
      await admin.ok(['create', '-f', '-'], { input: JSON.stringify(instance) });
      await admin.ok(['wait', 'vci/inside', '-n', 'platform-p-default', '--for=condition=Ready', '--timeout=60s']);
      const target = { project: 'default', name: 'inside' };
      const kubeconfig = await writeVirtualClusterKubeconfig(flotilla, folder, target);
      inside = kubectlWith(kubeconfig);
      helm = helmWith(path, kubeconfig, folder);
    });
    afterAll(async () => {
      await flotilla.remove();
      rmSync(folder, { recursive: true });
    });

    const field = (object: string, expression: string) =>
      inside.ok(['get', object, '--namespace', 'web', '-o', `jsonpath={${expression}}`]);
    const state = async () => [
      await field('deployment/shop', '.spec.replicas'),
      await field('service/shop', '.spec.ports[0].port'),
      await field('configmap/shop', '.data.color'),
      Buffer.from(await field('secret/shop', '.data.password'), 'base64').toString(),
    ];
    const releases = async () =>
      (JSON.parse(await helm('list', '--namespace', 'web', '-o', 'json')) as JsonObject[]).map((release) => [
        release.name,
        String(release.revision),
        release.status,
      ]);

    it('installs a workload into a new namespace, upgrades it, rolls it back and uninstalls it', async () => {
      const installed = await helm('install', 'shop', chart, '--namespace', 'web', '--create-namespace');
      expect(installed).toMatch(/STATUS: deployed/);
      expect(await state()).toEqual(['1', '80', 'blue', 'first']);
      expect(await field('service/shop', '.spec.clusterIP')).toMatch(/^[0-9.]+$/);
      expect(await releases()).toEqual([['shop', '1', 'deployed']]);

      const change = ['--set', 'replicas=3,port=8080,color=green,password=second'];
      await helm('upgrade', 'shop', chart, '--namespace', 'web', ...change);
      expect(await state()).toEqual(['3', '8080', 'green', 'second']);
      expect(await releases()).toEqual([['shop', '2', 'deployed']]);

      await helm('rollback', 'shop', '1', '--namespace', 'web');
      expect(await state()).toEqual(['1', '80', 'blue', 'first']);
      expect(await releases()).toEqual([['shop', '3', 'deployed']]);

      await helm('uninstall', 'shop', '--namespace', 'web');
      expect(await releases()).toEqual([]);
      for (const object of ['deployment/shop', 'service/shop', 'configmap/shop', 'secret/shop']) {
        expect((await inside.run(['get', object, '--namespace', 'web'])).stderr, object).toContain('not found');
      }
    });
  });
});
