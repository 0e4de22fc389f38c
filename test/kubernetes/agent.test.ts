import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../harness/suite.ts';
import { usersBehindAgent } from './agent.suite.ts';
import { AgentOnKubernetes } from './harness/agent-on-kubernetes.ts';
import { findKubernetes } from './harness/programs.ts';

const programs = findKubernetes();

describeIfAvailable(
  typeof programs === 'string' ? programs : undefined,
  'an agent beside a Kubernetes cluster (issue 8)',
  () => {
    let env: AgentOnKubernetes;

    beforeAll(async () => {
      if (typeof programs === 'string') return;
      env = await AgentOnKubernetes.open(programs, { usesTunnel: false });
    });
    afterAll(() => env?.close());

    usersBehindAgent(() => env);

    it('connects kubectl to the cluster itself', async () => {
      const there = env.direct('/kubernetes/cluster');
      expect(await there.ok(['get', 'nodes', '-o', 'name'])).toMatch(/^node\//);
      expect(await there.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('admin');
    });

    it('connects to a virtual cluster with a direct token', async () => {
      expect(readFileSync(env.flotilla.bench.file('admin.kubeconfig'), 'utf8')).not.toContain(env.agent.url);
      const kubectl = env.direct('/kubernetes/project/default/virtualcluster/demo');
      expect(await kubectl.ok(['get', 'pods', '-o', 'name'])).toBe('pod/web\n');
      expect(await kubectl.ok(['exec', '-i', 'web', '--', 'cat'], { input: 'to and fro' })).toBe('to and fro');
    });

    it('keeps serving without the server, also after a restart, and ends its open streams on shutdown', async () => {
      await env.flotilla.bench.stop(env.flotilla.server);
      const kubectl = env.direct('/kubernetes/project/default/virtualcluster/demo');
      const watch = kubectl.follow(['get', 'configmaps', '--watch', '-o', 'name']);
      await watch.waitForOutput(/kube-root-ca/);
      await kubectl.ok(['create', 'configmap', 'alone']);
      await watch.waitForOutput(/configmap\/alone/);
      const ended = once(watch.child, 'exit');
      await env.stopAgent();
      await ended;
      await env.startAgent();
      expect(await kubectl.ok(['get', 'configmap', 'alone', '-o', 'name'])).toBe('configmap/alone\n');
      expect(await kubectl.ok(['exec', 'web', '--', 'echo', 'still there'])).toBe('still there\n');
    });
  },
);
