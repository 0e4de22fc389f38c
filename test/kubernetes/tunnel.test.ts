import { textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupPath } from '../../src/server/server.fixture.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { usersBehindAgent } from './agent.suite.ts';
import { AgentOnKubernetes } from './harness/agent-on-kubernetes.ts';
import { findKubernetes } from './harness/programs.ts';

const programs = findKubernetes();

describeIfAvailable(
  typeof programs === 'string' ? programs : undefined,
  'a Kubernetes cluster behind the tunnels of its agent (issue 29)',
  () => {
    let env: AgentOnKubernetes;

    beforeAll(async () => {
      if (typeof programs === 'string') return;
      env = await AgentOnKubernetes.open(programs, { usesTunnel: true });
    });
    afterAll(() => env?.close());

    usersBehindAgent(() => env);

    it('serves virtual clusters as soon as the agent is connected again after an outage', async () => {
      await env.stopAgent();
      // The longer the outage, the longer the server waits between its attempts to connect.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      await env.startAgent();
      await env.waitUntilReachable();
      expect(await env.inside.ok(['get', 'pods', '-o', 'name'])).toBe('pod/web\n');
    });

    it('has kubeconfigs with the address of the server, and no direct endpoint', async () => {
      const address = await env.inside.ok(['config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}']);
      expect(address.startsWith(`${env.flotilla.server.url}/`), address).toBe(true);
      const { json } = await env.flotilla.ask(`${groupPath}/clusters/${env.cluster}`);
      expect(json.spec).not.toHaveProperty('directEndpoint');
    });

    it('contains virtual clusters that helm installed and uninstalls through a tunnel', async () => {
      const instance = await env.flotilla.createInstance('brief', {
        clusterRef: { cluster: env.cluster },
        template: {},
      });
      await env.flotilla.wait('brief', 'condition=Ready');
      const namespace = textAt(instance, 'spec', 'clusterRef', 'namespace');
      const releases = JSON.parse(await env.kubernetes.helm('list', '-n', namespace, '-o', 'json'));
      expect(releases).toMatchObject([
        { name: textAt(instance, 'spec', 'clusterRef', 'virtualCluster'), status: 'deployed' },
      ]);
      await env.flotilla.admin.ok(['delete', 'vci/brief', '--timeout=60s']);
      expect((await env.kubernetes.api.request('GET', `/api/v1/namespaces/${namespace}`)).code).toBe(404);
    });

    it('contains virtual clusters that were created by hand, and that the server imports', async () => {
      const [name, namespace] = ['found', 'of-found'];
      const byHand = await env.kubernetes.installByHand({ namespace, name });
      const importable = await env.flotilla.ask(`${groupPath}/clusters/${env.cluster}/virtualclusters`);
      expect(importable.text).toContain('"name":"found"');
      const imported = await env.flotilla.ask(`${groupPath}/projects/default/importvirtualcluster`, {
        method: 'POST',
        body: { sourceVirtualCluster: { name, namespace, cluster: env.cluster } },
      });
      expect(imported.code, imported.text).toBe(201);
      await env.flotilla.wait(name, 'condition=Ready');
      await (await env.flotilla.kubectlInside(name)).ok(['create', 'namespace', 'through-the-tunnel']);
      await byHand.kubectl.ok(['get', 'namespace', 'through-the-tunnel']);
    });
  },
);
