import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith, rawPath } from '../../harness/kubectl.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { runUpstreamTests, type UpstreamResult } from './run-upstream-tests.ts';
import { needlesslyLeftOut, readTestList } from './test-list.ts';

/**
 * Tests mostly wait, so more run at once than there are processors. Each process has a virtual cluster of its own. One
 * more process runs the tests that need a Node.
 */
const processes = 6;
const namespace = 'platform-p-default';
const instances = `/apis/management.platform.sh/v1/namespaces/${namespace}/virtualclusterinstances`;

const programMissing =
  spawnSync('bash', ['-c', 'command -v kubernetes-e2e']).status === 0
    ? undefined
    : 'kubernetes-e2e is not on PATH (bash test/tools/build.sh <folder> clients builds it)';

const list = readTestList();
const withoutNode = [...list.run, ...list.runToo];
const selected = [...withoutNode, ...list.runWithNode];

/** A Node on which nothing runs. Tests only use its name, or count the Nodes that are ready and have no taint. */
const storedNode = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'stored' },
  status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Stored', message: 'no kubelet reports for it' }] },
};

describeIfAvailable(
  kubectlMissing ?? programMissing,
  "Kubernetes' own tests, on virtual clusters with the full set of kinds",
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
    const results = new Map<string, UpstreamResult>();
    let flotilla: FlotillaProcess;
    let admin: Kubectl;
    let served: ReadonlySet<string>;

    async function createVirtualCluster(name: string): Promise<string> {
      const apiVersion = 'management.platform.sh/v1';
      const input = JSON.stringify({ apiVersion, kind: 'VirtualClusterInstance', metadata: { name, namespace } });
      await admin.ok(['create', '-f', '-'], { input });
      await admin.ok(['wait', '--for=condition=Ready', `vci/${name}`, '-n', namespace, '--timeout=30s']);
      const path = rawPath(`${instances}/${name}/kubeconfig`);
      const { status } = JSON.parse(await admin.ok(['create', '--raw', path, '-f', '-'], { input: '{}' }));
      const file = join(folder, `${name}.kubeconfig`);
      writeFileSync(file, status.kubeConfig, { mode: 0o600 });
      return file;
    }

    async function run(name: string, kubeconfig: string, names: readonly string[]): Promise<void> {
      mkdirSync(join(folder, name));
      for (const result of await runUpstreamTests({ kubeconfig, names, folder: join(folder, name) })) {
        results.set(result.name, result);
      }
    }

    async function runShare(index: number): Promise<void> {
      const name = `process-${index}`;
      const kubeconfig = await createVirtualCluster(name);
      if (index === 0)
        served = new Set((await kubectlWith(kubeconfig).ok(['api-resources', '-o', 'name'])).split('\n'));
      const names = withoutNode.filter((_name, position) => position % processes === index);
      await run(name, kubeconfig, names);
    }

    async function runWithNode(): Promise<void> {
      const name = 'process-with-node';
      const kubeconfig = await createVirtualCluster(name);
      const kubectl = kubectlWith(kubeconfig);
      await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(storedNode) });
      // Every new Node gets this taint. In a real cluster, a controller removes it when the Node is ready.
      await kubectl.ok(['taint', 'nodes', storedNode.metadata.name, 'node.kubernetes.io/not-ready:NoSchedule-']);
      await run(name, kubeconfig, list.runWithNode);
    }

    beforeAll(async () => {
      const settings = join(folder, 'settings.yaml');
      writeFileSync(settings, 'planes: {api: full}\n');
      flotilla = await startFlotilla({ args: ['--config', settings] });
      admin = kubectlWith(flotilla.kubeconfig);
      const shares = Array.from({ length: processes }, (_value, index) => runShare(index));
      await Promise.all([...shares, runWithNode()]);
    }, 900_000);
    afterAll(async () => {
      await flotilla.remove();
      rmSync(folder, { recursive: true });
    });

    it('the list has every conformance test of this Kubernetes version once', async () => {
      const { stdout } = await promisify(execFile)('kubernetes-e2e', ['conformance']);
      const listed = [...list.run, ...list.runWithNode, ...list.leftOut.flatMap(({ tests }) => tests)];
      expect(listed.sort()).toEqual(stdout.trimEnd().split('\n').sort());
    });

    it('the list leaves no test out because of a resource that is served', () => {
      expect(needlesslyLeftOut(list, served)).toEqual([]);
    });

    for (const name of selected) {
      it(name, () => {
        const { state, message, log } = results.get(name) ?? { state: 'not run' };
        expect(state, [message, log].join('\n')).toBe('passed');
      });
    }
  },
);
