import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type FlotillaProcess, type ServingProcess, startFlotilla, startServing } from './flotilla-process.ts';
import { type Kubectl, kubectlWith } from './kubectl.ts';
import { freePorts } from './start-program.mjs';

export const group = 'management.platform.sh';
const groupPath = `/kubernetes/management/apis/${group}/v1`;

export interface EdgeOptions {
  /** `host:port` of the two; ports that were free, unless said. */
  readonly centre?: string;
  readonly agent?: string;
  /** What runs the centre, and its flags. */
  readonly before?: readonly string[];
  /** Which cluster the agent stands beside. */
  readonly host?: readonly string[];
}

/** A centre and the agent of its cluster `edge`, both processes, at addresses that stay. */
export interface Edge {
  readonly folder: string;
  readonly centre: FlotillaProcess;
  readonly agent: ServingProcess;
  readonly keyFile: string;
  admin: Kubectl;
  startCentre(): Promise<void>;
  startAgent(...args: string[]): Promise<void>;
  /** A user with a key. */
  person(name: string): Promise<string>;
  /** An instance on `edge` which they may use, ready. */
  make(name: string, users?: readonly string[]): Promise<void>;
  directToken(key: string, spec?: object): Promise<string>;
  /** The kubeconfig of the instance as the server hands it out to whoever has that key. */
  kubeconfigOf(name: string, key?: string): Promise<string>;
  /** kubectl for a path of the agent with that credential. */
  kubectl(path: string, token: string): Kubectl;
  /** The status code of the agent's answer, and what it says. */
  ask(path: string, token: string, method?: 'GET' | 'POST', body?: object): Promise<Answer>;
  askCentre(path: string, token: string, method?: 'GET' | 'POST' | 'DELETE', body?: object): Promise<Answer>;
  /** Looks until the agent answers so; gives how many milliseconds that took. */
  until(path: string, token: string, code: number, longest?: number): Promise<number>;
  close(): Promise<void>;
}

export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly headers: Record<string, string | string[] | undefined>;
}

export const namespacesOf = (name: string) => `/kubernetes/project/default/virtualcluster/${name}/api/v1/namespaces`;

export async function openEdge(options: EdgeOptions = {}): Promise<Edge> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-edge-'));
  const [centrePort, agentPort] = await freePorts(2);
  const { centre: centreAt = `127.0.0.1:${centrePort}`, agent: agentAt = `127.0.0.1:${agentPort}` } = options;
  const { before = [], host = ['--built-in'] } = options;
  const keyFile = join(folder, 'edge.key');
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false }, connections: 50 });
  let files = 0;

  const startCentre = () =>
    startFlotilla({ dataDirectory: join(folder, 'centre'), listen: centreAt, before, args: ['--log-level', 'warn'] });
  const startAgent = (args: readonly string[] = []) =>
    startServing([
      ...['agent', '--management', `https://${centreAt}`, '--ca-file', join(folder, 'centre', 'ca.crt')],
      ...['--cluster', 'edge', '--access-key-file', keyFile, '--data-dir', join(folder, 'agent')],
      ...['--listen', agentAt, ...host, ...args],
    ]);

  async function send(url: string, token: string, method: 'GET' | 'POST' | 'DELETE', body?: object): Promise<Answer> {
    const {
      statusCode,
      headers,
      body: answer,
    } = await request(url, {
      dispatcher,
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { code: statusCode, text: await answer.text(), headers };
  }

  let centre = await startCentre();
  const admin = kubectlWith(centre.kubeconfig);
  const create = (kind: string, metadata: object, spec: object) => {
    const input = JSON.stringify({ apiVersion: `${group}/v1`, kind, metadata, spec });
    return admin.ok(['create', '-f', '-', '-o', 'json'], { input });
  };
  const made = async (path: string, body: object, key = centre.adminKey) => {
    const answer = await send(`https://${centreAt}${groupPath}/${path}`, key, 'POST', body);
    if (answer.code !== 201) throw new Error(answer.text);
    return JSON.parse(answer.text);
  };
  await create('Cluster', { name: 'edge' }, { networkPeer: true });
  writeFileSync(keyFile, (await made('clusters/edge/accesskey', {})).accessKey, { mode: 0o600 });
  let agent = await startAgent();
  await admin.ok(['wait', 'cluster/edge', '--for=condition=Ready', '--timeout=60s']);

  const edge: Edge = {
    folder,
    get centre() {
      return centre;
    },
    get agent() {
      return agent;
    },
    keyFile,
    admin,
    async startCentre() {
      centre = await startCentre();
    },
    async startAgent(...args) {
      agent = await startAgent(args);
    },
    async person(name) {
      await create('User', { name }, {});
      return JSON.parse(await create('OwnedAccessKey', { name: `${name}s` }, { user: name })).spec.key;
    },
    async make(name, users = []) {
      const access = [{ name: 'use', verbs: ['get', 'use'], users, subresources: ['*'] }];
      const spec = { clusterRef: { cluster: 'edge' }, ...(users.length === 0 ? {} : { access }) };
      await create('VirtualClusterInstance', { name, namespace: 'platform-p-default' }, spec);
      await admin.ok(['wait', `vci/${name}`, '-n', 'platform-p-default', '--for=condition=Ready', '--timeout=60s']);
    },
    directToken: async (key, spec = {}) => (await made('directclusterendpointtokens', { spec }, key)).status.token,
    async kubeconfigOf(name, key) {
      const path = `namespaces/platform-p-default/virtualclusterinstances/${name}/kubeconfig`;
      const file = join(folder, `${++files}.yaml`);
      writeFileSync(file, (await made(path, { spec: {} }, key)).status.kubeConfig, { mode: 0o600 });
      return file;
    },
    kubectl(path, token) {
      const file = join(folder, `${++files}.yaml`);
      const authority = readFileSync(join(folder, 'agent', 'ca.crt')).toString('base64');
      const cluster = { server: `https://${agentAt}${path}`, 'certificate-authority-data': authority };
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'edge', cluster }],
        users: [{ name: 'me', user: { token } }],
        contexts: [{ name: 'edge', context: { cluster: 'edge', user: 'me' } }],
        'current-context': 'edge',
      };
      writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
      return kubectlWith(file);
    },
    ask: (path, token, method = 'GET', body) => send(`https://${agentAt}${path}`, token, method, body),
    askCentre: (path, token, method = 'GET', body) => send(`https://${centreAt}${path}`, token, method, body),
    async until(path, token, code, longest = 30_000) {
      const begin = performance.now();
      for (;;) {
        const answer = await edge.ask(path, token);
        const took = performance.now() - begin;
        if (answer.code === code) return took;
        if (took > longest) throw new Error(`${path} still answers ${answer.code}: ${answer.text}`);
        await pause(10);
      }
    },
    async close() {
      await dispatcher.close();
      await agent.stop();
      await centre.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return edge;
}
