import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, textAt } from '@flotilla/json';
import { expect } from 'vitest';
import { type RunningAgent, startAgent } from '../../../src/agent/start-agent.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { groupPath } from '../../../src/server/server.fixture.ts';
import { type Kubectl, kubectlWith } from '../../harness/kubectl.ts';
import { type Flotilla, openFlotilla } from './open-flotilla.ts';
import type { KubernetesPrograms } from './programs.ts';
import { type Kubernetes, startKubernetes } from './start-kubernetes.ts';

const cluster = 'europe';

/** A server that reaches a Kubernetes cluster only through an agent, and the instance `demo` there with the pod `web`. */
export class AgentOnKubernetes {
  readonly cluster = cluster;
  readonly kubernetes: Kubernetes;
  readonly flotilla: Flotilla;
  readonly #usesTunnel: boolean;
  #agent: RunningAgent | undefined;
  #port = 0;
  #inside: Kubectl | undefined;
  #directToken = '';
  #files = 0;

  private constructor(kubernetes: Kubernetes, flotilla: Flotilla, usesTunnel: boolean) {
    this.kubernetes = kubernetes;
    this.flotilla = flotilla;
    this.#usesTunnel = usesTunnel;
  }

  static async open(
    programs: KubernetesPrograms,
    { usesTunnel, settings = {} }: { readonly usesTunnel: boolean; readonly settings?: JsonObject },
  ): Promise<AgentOnKubernetes> {
    const kubernetes = await startKubernetes({ programs });
    const flotilla = await openFlotilla({ programs: kubernetes.programs, settings });
    const env = new AgentOnKubernetes(kubernetes, flotilla, usesTunnel);
    try {
      await env.#prepare();
    } catch (error) {
      await env.close();
      throw error;
    }
    return env;
  }

  async #prepare(): Promise<void> {
    const { flotilla, kubernetes } = this;
    await flotilla.bench.createObject(flotilla.server, 'clusters', cluster, { networkPeer: true });
    const made = await flotilla.ask(`${groupPath}/clusters/${cluster}/accesskey`, { method: 'POST', body: {} });
    writeFileSync(join(flotilla.bench.root, 'agent.key'), textAt(made.json, 'accessKey'), { mode: 0o600 });
    await this.startAgent();
    await flotilla.admin.ok(['wait', `cluster/${cluster}`, '--for=condition=Ready', '--timeout=60s']);
    const instance = await flotilla.createInstance('demo', { clusterRef: { cluster }, template: {} });
    await flotilla.wait('demo', 'condition=Ready');
    const ref = (member: string) => textAt(instance, 'spec', 'clusterRef', member);
    await (await kubernetes.standIn({ namespace: ref('namespace'), name: ref('virtualCluster') })).startNode();
    this.#inside = await flotilla.kubectlInside('demo');
    await this.inside.ok(['run', 'web', '--image=web']);
    await this.inside.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
    const token = await flotilla.ask(`${groupPath}/directclusterendpointtokens`, {
      method: 'POST',
      body: { spec: {} },
    });
    this.#directToken = textAt(token.json, 'status', 'token');
  }

  get agent(): RunningAgent {
    if (this.#agent === undefined) throw new Error('no agent is running');
    return this.#agent;
  }

  /** kubectl for the virtual cluster, with the kubeconfig that the server issues. */
  get inside(): Kubectl {
    if (this.#inside === undefined) throw new Error('the instance is not ready');
    return this.#inside;
  }

  /** Starts the agent, at the same address each time. */
  async startAgent(): Promise<void> {
    const { bench, server } = this.flotilla;
    this.#agent = await startAgent(
      {
        management: server.url,
        caFile: bench.file('ca.crt'),
        cluster,
        accessKeyFile: join(bench.root, 'agent.key'),
        joinToken: undefined,
        joinTokenFile: undefined,
        dataDir: join(bench.root, 'agent'),
        listen: { host: '127.0.0.1', port: this.#port },
        externalUrl: undefined,
        usesTunnel: this.#usesTunnel,
        proxyUrl: undefined,
        proxyUrlFile: undefined,
        tls: undefined,
        tlsSan: [],
        apiPrefix: 'kubernetes',
        readOnly: false,
        release: undefined,
        planeWorkers: undefined,
        encryptedRows: undefined,
        host: { kind: 'kubernetes', kubeconfigFile: this.kubernetes.kubeconfig },
        maxPolicyAge: 3600_000,
        logLevel: 'silent',
      },
      { clock: systemClock, log: silentLog },
    );
    this.#port = Number(new URL(this.#agent.url).port);
  }

  async stopAgent(): Promise<void> {
    await this.#agent?.close();
    this.#agent = undefined;
  }

  /** Waits until the server reaches the cluster through the agent. */
  async waitUntilReachable(): Promise<void> {
    const path = `/kubernetes/cluster/${cluster}/api/v1/nodes`;
    await expect.poll(async () => (await this.flotilla.ask(path)).code, { timeout: 30_000, interval: 50 }).toBe(200);
  }

  /**
   * Returns kubectl for a path of the agent, with a direct-endpoint token. Defaults to a token of the administrator.
   */
  direct(path: string, token = this.#directToken): Kubectl {
    const { root } = this.flotilla.bench;
    this.#files += 1;
    const file = join(root, `direct-${this.#files}.kubeconfig`);
    const authority = readFileSync(join(root, 'agent', 'ca.crt')).toString('base64');
    const server = `${this.agent.url}${path}`;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': authority } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'c',
    };
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return kubectlWith(file);
  }

  async close(): Promise<void> {
    await this.stopAgent();
    await this.flotilla.close();
    await this.kubernetes.stop();
  }
}
