import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningAgent, startAgent } from '../../src/agent/start-agent.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { groupPath } from '../../src/server/server.fixture.ts';
import { type Kubectl, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const cluster = 'europe';

describeIfAvailable(
  typeof programs === 'string' ? programs : undefined,
  'an agent beside a Kubernetes cluster (issue 8)',
  () => {
    let kubernetes: Kubernetes;
    let flotilla: Flotilla;
    let agent: RunningAgent;
    let inside: Kubectl;
    let direct: string;

    async function start(): Promise<RunningAgent> {
      return await startAgent(
        {
          management: flotilla.server.url,
          caFile: flotilla.bench.file('ca.crt'),
          cluster,
          accessKeyFile: join(flotilla.bench.root, 'agent.key'),
          dataDir: join(flotilla.bench.root, 'agent'),
          listen: { host: '127.0.0.1', port: agent === undefined ? 0 : Number(new URL(agent.url).port) },
          externalUrl: undefined,
          tls: undefined,
          tlsSan: [],
          apiPrefix: 'kubernetes',
          planeWorkers: undefined,
          host: { kind: 'kubernetes', kubeconfigFile: kubernetes.kubeconfig },
          maxPolicyAge: 3600_000,
          logLevel: 'silent',
        },
        { clock: systemClock, log: silentLog },
      );
    }

    beforeAll(async () => {
      if (typeof programs === 'string') return;
      kubernetes = await startKubernetes({ programs });
      flotilla = await openFlotilla(kubernetes);
      // The agent is the only connection to the cluster.
      await flotilla.bench.createObject(flotilla.server, 'clusters', cluster, { networkPeer: true });
      const made = await flotilla.ask(`${groupPath}/clusters/${cluster}/accesskey`, { method: 'POST', body: {} });
      writeFileSync(join(flotilla.bench.root, 'agent.key'), textAt(made.json, 'accessKey'), { mode: 0o600 });
      agent = await start();
      await flotilla.admin.ok(['wait', `cluster/${cluster}`, '--for=condition=Ready', '--timeout=60s']);
      const instance = await flotilla.createInstance('demo', { clusterRef: { cluster }, template: {} });
      await flotilla.wait('demo', 'condition=Ready');
      const ref = (member: string) => textAt(instance, 'spec', 'clusterRef', member);
      await (await kubernetes.standIn({ namespace: ref('namespace'), name: ref('virtualCluster') })).startNode();
      inside = await flotilla.kubectlInside('demo');
      await inside.ok(['run', 'web', '--image=web']);
      await inside.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
      const token = await flotilla.ask(`${groupPath}/directclusterendpointtokens`, {
        method: 'POST',
        body: { spec: {} },
      });
      direct = textAt(token.json, 'status', 'token');
    });
    afterAll(async () => {
      await agent?.close();
      await flotilla?.close();
      await kubernetes?.stop();
    });

    /** kubectl for a path of the agent, with a direct token. */
    function at(path: string): Kubectl {
      const file = join(flotilla.bench.root, 'direct.kubeconfig');
      const authority = readFileSync(join(flotilla.bench.root, 'agent', 'ca.crt')).toString('base64');
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster: { server: `${agent.url}${path}`, 'certificate-authority-data': authority } }],
        users: [{ name: 'u', user: { token: direct } }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'c',
      };
      writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
      return kubectlWith(file);
    }

    /**
     * Prints that many bytes from a pod that stays until they have arrived: bytes in transit when a command ends are
     * lost in Kubernetes itself if kubectl's ping reaches an API server that has already closed.
     */
    async function printed(bytes: number): Promise<string> {
      const command = `head -c ${bytes} /dev/zero | tr "\\0" x; read line`;
      return await inside.ok(['exec', '-i', 'web', '--', 'sh', '-c', command], { input: '\n', inputAfter: bytes });
    }

    it('is how the server reaches the cluster, and connects kubectl to the cluster itself', async () => {
      const there = at('/kubernetes/cluster');
      expect(await there.ok(['get', 'nodes', '-o', 'name'])).toMatch(/^node\//);
      expect(await there.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('admin');
      const throughServer = await flotilla.ask(`/kubernetes/cluster/${cluster}/api/v1/nodes`);
      expect(throughServer.code, throughServer.text).toBe(200);
    });

    it('connects to a virtual cluster: get, exec, logs -f, port-forward, with a direct token and with a kubeconfig', async () => {
      expect(readFileSync(flotilla.bench.file('admin.kubeconfig'), 'utf8')).not.toContain(agent.url);
      for (const kubectl of [inside, at('/kubernetes/project/default/virtualcluster/demo')]) {
        expect(await kubectl.ok(['get', 'pods', '-o', 'name'])).toBe('pod/web\n');
        expect(await kubectl.ok(['exec', '-i', 'web', '--', 'cat'], { input: 'to and fro' })).toBe('to and fro');
      }
      const log = inside.follow(['logs', '-f', 'web']);
      await inside.ok(['attach', '-i', 'web'], { input: 'said by somebody\n' }).catch(() => {});
      await log.waitForOutput(/said by somebody/);
      await log.stop();
      const forward = inside.follow(['port-forward', 'pod/web', `:${new URL(agent.url).port}`]);
      const shown = await forward.waitForOutput(/Forwarding from 127\.0\.0\.1:(\d+)/);
      const port = /127\.0\.0\.1:(\d+)/.exec(shown)?.[1];
      const { Agent } = await import('undici');
      const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
      const { statusCode, body } = await request(`https://127.0.0.1:${port}/livez`, { dispatcher });
      expect([statusCode, await body.text()]).toEqual([200, 'ok']);
      await dispatcher.close();
      await forward.stop();
    });

    it('streams 100 MB down and 100 MB up', async () => {
      const before = process.memoryUsage().rss;
      expect((await printed(100_000_000)).length).toBe(100_000_000);
      const sent = 'y'.repeat(100_000_000);
      const sum = await inside.ok(['exec', '-i', 'web', '--', 'sha256sum'], { input: sent });
      expect(sum).toContain(createHash('sha256').update(sent).digest('hex'));
      // The test itself holds three copies; no hop may buffer another one.
      expect(process.memoryUsage().rss - before).toBeLessThan(900_000_000);
    });

    it('drops a stream at once that a restart interrupts, and transfers the next one completely', async () => {
      const endless = inside.follow(['exec', 'web', '--', 'sh', '-c', 'while :; do echo some; done']);
      await endless.waitForOutput(/some/);
      const ended = once(endless.child, 'exit');
      await agent.close();
      await ended;
      agent = await start();
      expect((await printed(20_000_000)).length).toBe(20_000_000);
    });

    it('keeps serving without the server, also after a restart, and ends its open streams on shutdown', async () => {
      await flotilla.bench.stop(flotilla.server);
      const kubectl = at('/kubernetes/project/default/virtualcluster/demo');
      const watch = kubectl.follow(['get', 'configmaps', '--watch', '-o', 'name']);
      await watch.waitForOutput(/kube-root-ca/);
      await kubectl.ok(['create', 'configmap', 'alone']);
      await watch.waitForOutput(/configmap\/alone/);
      const ended = once(watch.child, 'exit');
      await agent.close();
      await ended;
      agent = await start();
      expect(await kubectl.ok(['get', 'configmap', 'alone', '-o', 'name'])).toBe('configmap/alone\n');
      expect(await kubectl.ok(['exec', 'web', '--', 'echo', 'still there'])).toBe('still there\n');
    });
  },
);
