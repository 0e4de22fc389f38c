import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith, rawPath } from '../../harness/kubectl.ts';
import { startProgram } from '../../harness/start-program.mjs';
import { describeIfAvailable } from '../../harness/suite.ts';
import { runUpstreamTests, type UpstreamResult } from './run-upstream-tests.ts';
import { needlesslyLeftOut, readTestList } from './test-list.ts';

/**
 * The number of test processes. Tests mostly wait, so more run at once than there are processors. Each process has its
 * own virtual cluster. One more process runs the tests that need a Node, and others run those that need a
 * kube-controller-manager.
 */
const processes = 6;
const processesWithControllers = 2;
const namespace = 'platform-p-default';
const instances = `/apis/management.platform.sh/v1/namespaces/${namespace}/virtualclusterinstances`;

const missing = ['kubernetes-e2e', 'kube-controller-manager'].filter(
  (program) => spawnSync('bash', ['-c', 'command -v "$0"', program]).status !== 0,
);
const programMissing =
  missing.length === 0
    ? undefined
    : `not on PATH: ${missing.join(', ')} (bash test/tools/build.sh <folder> clients builds them)`;

/** The controllers that the selected tests need. */
const controllers = [
  'cronjob-controller',
  'deployment-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'job-controller',
  'replicaset-controller',
  'replicationcontroller-controller',
];

const list = readTestList();
const withoutNode = [...list.run, ...list.runToo];
const selected = [...withoutNode, ...list.runWithNode, ...list.runWithControllers];

/** A Node on which nothing runs. Tests only use its name, or count the ready Nodes without a taint. */
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

    /** Creates a virtual cluster and the Node object `storedNode` in it. */
    async function createVirtualClusterWithNode(name: string): Promise<string> {
      const kubeconfig = await createVirtualCluster(name);
      const kubectl = kubectlWith(kubeconfig);
      await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(storedNode) });
      // Every new Node gets this taint. In a real cluster, a controller removes it when the Node is ready.
      await kubectl.ok(['taint', 'nodes', storedNode.metadata.name, 'node.kubernetes.io/not-ready:NoSchedule-']);
      return kubeconfig;
    }

    async function runWithNode(): Promise<void> {
      const name = 'process-with-node';
      await run(name, await createVirtualClusterWithNode(name), list.runWithNode);
    }

    async function runWithControllers(index: number): Promise<void> {
      const name = `process-with-controllers-${index}`;
      const kubeconfig = await createVirtualClusterWithNode(name);
      const flags = [`--kubeconfig=${kubeconfig}`, `--controllers=${controllers.join(',')}`];
      const manager = startProgram(
        'kube-controller-manager',
        [...flags, '--leader-elect=false', '--secure-port=0', '--kube-api-qps=100', '--kube-api-burst=100'],
        mkdtempSync(join(folder, 'controllers-')),
      );
      try {
        const names = list.runWithControllers.filter(
          (_name, position) => position % processesWithControllers === index,
        );
        await run(name, kubeconfig, names);
        manager.failIfEnded();
      } finally {
        await manager.stop();
      }
    }

    beforeAll(async () => {
      const settings = join(folder, 'settings.yaml');
      writeFileSync(settings, 'planes: {api: full}\n');
      flotilla = await startFlotilla({ args: ['--config', settings] });
      admin = kubectlWith(flotilla.kubeconfig);
      const shares = Array.from({ length: processes }, (_value, index) => runShare(index));
      const withControllers = Array.from({ length: processesWithControllers }, (_value, index) =>
        runWithControllers(index),
      );
      await Promise.all([...shares, runWithNode(), ...withControllers]);
    }, 900_000);
    afterAll(async () => {
      await flotilla.remove();
      rmSync(folder, { recursive: true });
    });

    it('the list has every conformance test of this Kubernetes version once', async () => {
      const { stdout } = await promisify(execFile)('kubernetes-e2e', ['conformance']);
      const ofThisSuite = [...list.run, ...list.runWithNode, ...list.runWithControllers];
      const listed = [...ofThisSuite, ...list.leftOut.flatMap(({ tests }) => tests)];
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
