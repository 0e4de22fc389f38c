import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@flotilla/json';
import { Agent, request } from 'undici';
import { type FlotillaProcess, type ServingProcess, startFlotilla, startServing } from '../flotilla-process.ts';
import { type Kubectl, kubectlWith } from '../kubectl.ts';
import { freePorts } from '../start-program.mjs';

export const group = 'management.platform.sh';
const groupPath = `/kubernetes/management/apis/${group}/v1`;

export interface EdgeOptions {
  /** `host:port` at which clients reach the server and the agent. Optional; defaults to free ports. */
  readonly server?: string;
  readonly agent?: string;
  /** `host:port` at which the server listens. Optional; defaults to `server`. */
  readonly listen?: string;
  /** A command with flags that starts the server, such as `ip netns exec`. */
  readonly commandPrefix?: readonly string[];
  /** A command with flags that starts the agent, such as `ip netns exec`. */
  readonly agentPrefix?: readonly string[];
  /** Additional flags of the server. */
  readonly serverArgs?: readonly string[];
  /** Additional settings of the server. */
  readonly settings?: JsonObject;
  /** The agent's flags that select its cluster. Optional; defaults to the built-in cluster. */
  readonly host?: readonly string[];
}

/** A control server and the agent of its cluster `edge`, both as processes, at fixed addresses. */
export interface Edge {
  readonly folder: string;
  readonly server: FlotillaProcess;
  readonly agent: ServingProcess;
  readonly keyFile: string;
  admin: Kubectl;
  startServer(): Promise<void>;
  startAgent(...args: string[]): Promise<void>;
  /** Creates a user and returns an access key of that user. */
  createUser(name: string): Promise<string>;
  /** Creates an instance on `edge` that the given users may use, and waits until it is ready. */
  createInstance(name: string, users?: readonly string[]): Promise<void>;
  directToken(key: string, spec?: object): Promise<string>;
  /** The kubeconfig of the instance that the server issues to the owner of the key. */
  kubeconfigOf(name: string, key?: string): Promise<string>;
  /** kubectl for a path of the agent, with the given credential. */
  kubectl(path: string, token: string): Kubectl;
  /** kubectl for a path of the server, as the administrator. */
  kubectlAtServer(path: string): Kubectl;
  /** Sends a request to the agent. */
  request(path: string, token: string, method?: 'GET' | 'POST', body?: object): Promise<EdgeResponse>;
  requestServer(path: string, token: string, method?: 'GET' | 'POST' | 'DELETE', body?: object): Promise<EdgeResponse>;
  /** Polls the agent until it responds with the code. Returns the elapsed milliseconds. */
  waitForStatus(path: string, token: string, code: number, longest?: number): Promise<number>;
  close(): Promise<void>;
}

export interface EdgeResponse {
  readonly code: number;
  readonly text: string;
  readonly headers: Record<string, string | string[] | undefined>;
}

export const namespacesOf = (name: string) => `/kubernetes/project/default/virtualcluster/${name}/api/v1/namespaces`;

export async function openEdge(options: EdgeOptions = {}): Promise<Edge> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-edge-'));
  const [serverPort, agentPort] = await freePorts(2);
  const { server: serverAddress = `127.0.0.1:${serverPort}`, agent: agentAddress = `127.0.0.1:${agentPort}` } = options;
  const { listen = serverAddress, commandPrefix = [], agentPrefix = [], host = ['--built-in'] } = options;
  const keyFile = join(folder, 'edge.key');
  const config = join(folder, 'server.yaml');
  // Disables the rate limit: tests send many requests with one key.
  writeFileSync(config, JSON.stringify({ limits: { requestsPerSecond: 0 }, ...options.settings }));
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false }, connections: 50 });
  let files = 0;

  const startControlServer = () =>
    startFlotilla({
      dataDirectory: join(folder, 'server'),
      listen,
      commandPrefix,
      args: ['--log-level', 'warn', '--config', config, ...(options.serverArgs ?? [])],
    });
  const startAgent = (args: readonly string[] = []) =>
    startServing(
      [
        ...['agent', '--management', `https://${serverAddress}`, '--ca-file', join(folder, 'server', 'ca.crt')],
        ...['--cluster', 'edge', '--access-key-file', keyFile, '--data-dir', join(folder, 'agent')],
        ...['--listen', agentAddress, ...host, ...args],
      ],
      { commandPrefix: agentPrefix },
    );

  async function send(
    url: string,
    token: string,
    method: 'GET' | 'POST' | 'DELETE',
    body?: object,
  ): Promise<EdgeResponse> {
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

  function kubectlWithToken(url: string, authorityFile: string, token: string): Kubectl {
    const file = join(folder, `${++files}.yaml`);
    const authority = readFileSync(join(folder, authorityFile)).toString('base64');
    const cluster = { server: url, 'certificate-authority-data': authority };
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
  }

  let server = await startControlServer();
  const admin = kubectlWith(server.kubeconfig);
  const create = (kind: string, metadata: object, spec: object) => {
    const input = JSON.stringify({ apiVersion: `${group}/v1`, kind, metadata, spec });
    return admin.ok(['create', '-f', '-', '-o', 'json'], { input });
  };
  const made = async (path: string, body: object, key = server.adminKey) => {
    const answer = await send(`https://${serverAddress}${groupPath}/${path}`, key, 'POST', body);
    if (answer.code !== 201) throw new Error(answer.text);
    return JSON.parse(answer.text);
  };
  await create('Cluster', { name: 'edge' }, { networkPeer: true });
  writeFileSync(keyFile, (await made('clusters/edge/accesskey', {})).accessKey, { mode: 0o600 });
  let agent = await startAgent();
  await admin.ok(['wait', 'cluster/edge', '--for=condition=Ready', '--timeout=60s']);

  const edge: Edge = {
    folder,
    get server() {
      return server;
    },
    get agent() {
      return agent;
    },
    keyFile,
    admin,
    async startServer() {
      server = await startControlServer();
    },
    async startAgent(...args) {
      agent = await startAgent(args);
    },
    async createUser(name) {
      await create('User', { name }, {});
      return JSON.parse(await create('OwnedAccessKey', { name: `${name}s` }, { user: name })).spec.key;
    },
    async createInstance(name, users = []) {
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
    kubectl: (path, token) => kubectlWithToken(`https://${agentAddress}${path}`, join('agent', 'ca.crt'), token),
    kubectlAtServer: (path) =>
      kubectlWithToken(`https://${serverAddress}${path}`, join('server', 'ca.crt'), server.adminKey),
    request: (path, token, method = 'GET', body) => send(`https://${agentAddress}${path}`, token, method, body),
    requestServer: (path, token, method = 'GET', body) => send(`https://${serverAddress}${path}`, token, method, body),
    async waitForStatus(path, token, code, longest = 30_000) {
      const begin = performance.now();
      for (;;) {
        const answer = await edge.request(path, token);
        const took = performance.now() - begin;
        if (answer.code === code) return took;
        if (took > longest) throw new Error(`${path} still answers ${answer.code}: ${answer.text}`);
        await pause(10);
      }
    },
    async close() {
      await dispatcher.close();
      await agent.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return edge;
}
