import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, textAt } from '@flotilla/json';
import { Agent, type Dispatcher, request } from 'undici';
import { expect } from 'vitest';
import type { StartPlaneThread } from '../builtin/workers/plane-workers.ts';
import { startOnSameThread } from '../builtin/workers/same-thread.fixture.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { instancesOf, waitForInstance } from '../server/instances.fixture.ts';
import { groupPath, ServerTestEnv } from '../server/server.fixture.ts';
import type { RunningServer } from '../server/start-server.ts';
import { type AgentOptions, defaultMaxPolicyAge } from './options.ts';
import { type RunningAgent, startAgent } from './start-agent.ts';

export const agentCluster = 'edge';
export const instancesPath = instancesOf('default');

/** Returns the options of an agent for the cluster `edge`. The agent's key is in the file `agent.key`. */
export function agentOptions(serverEnv: ServerTestEnv, server: RunningServer): AgentOptions {
  return {
    management: server.url,
    caFile: serverEnv.file('ca.crt'),
    cluster: agentCluster,
    accessKeyFile: join(serverEnv.root, 'agent.key'),
    joinToken: undefined,
    joinTokenFile: undefined,
    dataDir: join(serverEnv.root, 'agent'),
    listen: { host: '127.0.0.1', port: 0 },
    externalUrl: undefined,
    usesTunnel: false,
    proxyUrl: undefined,
    proxyUrlFile: undefined,
    tls: undefined,
    tlsSan: [],
    apiPrefix: undefined,
    host: { kind: 'built-in' },
    readOnly: false,
    release: undefined,
    planeWorkers: 2,
    encryptedRows: undefined,
    maxPolicyAge: defaultMaxPolicyAge,
    logLevel: 'silent',
  };
}

/** A test environment with a real server and a real agent for the cluster `edge`, in a temporary directory. */
export class AgentTestEnv {
  readonly serverEnv: ServerTestEnv;
  server: RunningServer;
  /** The number of worker threads that agents have started. */
  startedThreads = 0;
  #agent: RunningAgent | undefined;
  readonly #agents: Agent[] = [];

  private constructor(serverEnv: ServerTestEnv, server: RunningServer) {
    this.serverEnv = serverEnv;
    this.server = server;
  }

  static async open(): Promise<AgentTestEnv> {
    const serverEnv = await ServerTestEnv.open();
    const env = new AgentTestEnv(serverEnv, await serverEnv.start());
    await serverEnv.createObject(env.server, 'clusters', agentCluster, { networkPeer: true });
    await env.createAgentKey();
    return env;
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.destroy()));
    await this.#agent?.close();
    await this.serverEnv.close();
  }

  get agent(): RunningAgent {
    if (this.#agent === undefined) throw new Error('no agent is running');
    return this.#agent;
  }

  get dataDir(): string {
    return join(this.serverEnv.root, 'agent');
  }

  /** Creates a new agent key and writes it to the agent's key file. */
  async createAgentKey(): Promise<string> {
    const response = await this.serverEnv.send(this.server, `${groupPath}/clusters/${agentCluster}/accesskey`, {
      method: 'POST',
      body: {},
    });
    expect(response.code, response.text).toBe(201);
    const key = textAt(response.json, 'accessKey');
    await writeFile(join(this.serverEnv.root, 'agent.key'), `${key}\n`, { mode: 0o600 });
    return key;
  }

  async start(settings: Partial<AgentOptions> = {}, clock: Clock = systemClock): Promise<RunningAgent> {
    const startThread = startOnSameThread(clock);
    const startPlaneThread: StartPlaneThread = (...thread) => {
      this.startedThreads += 1;
      return startThread(...thread);
    };
    this.#agent = await startAgent(
      { ...agentOptions(this.serverEnv, this.server), dataDir: this.dataDir, ...settings },
      { clock, log: silentLog, startPlaneThread },
    );
    return this.#agent;
  }

  async stopAgent(): Promise<void> {
    await this.#agent?.close();
    this.#agent = undefined;
  }

  async stopServer(): Promise<void> {
    await this.serverEnv.stop(this.server);
  }

  /** Restarts the server at the same address, because the agent cannot learn a new address. */
  async restartServer(): Promise<void> {
    this.server = await this.serverEnv.start({ listen: new URL(this.server.url).host });
  }

  /** Sends a request to the agent and returns the open response. */
  async open(
    path: string,
    token: string,
    method: Dispatcher.HttpMethod = 'GET',
    body?: JsonValue,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    this.#agents.push(agent);
    return await request(`${this.agent.url}${path}`, {
      dispatcher: agent,
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async send(path: string, token: string, method: Dispatcher.HttpMethod = 'GET', body?: JsonValue) {
    const response = await this.open(path, token, method, body);
    const text = await response.body.text();
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {
      code: response.statusCode,
      text,
      json: (isJson ? JSON.parse(text) : {}) as JsonObject,
      headers: response.headers,
    };
  }

  async code(path: string, token: string): Promise<number> {
    return (await this.send(path, token)).code;
  }

  /** Waits until the agent responds to a GET of this path with this status code. */
  async waitForCode(path: string, token: string, code: number): Promise<void> {
    await expect.poll(() => this.code(path, token), { timeout: 20_000, interval: 20 }).toBe(code);
  }

  /** Creates an instance on the agent's cluster and waits until it is Ready. */
  async createInstance(name: string, spec: JsonObject = {}): Promise<JsonObject> {
    const body = { metadata: { name }, spec: { clusterRef: { cluster: agentCluster }, ...spec } };
    const response = await this.serverEnv.send(this.server, instancesPath, { method: 'POST', body });
    expect(response.code, response.text).toBe(201);
    return await waitForInstance(
      this.serverEnv,
      this.server,
      { name },
      (found) => textAt(found, 'status', 'phase') === 'Ready',
    );
  }

  /** Creates a user with an access key. */
  async createUser(name: string, key: JsonObject = {}): Promise<string> {
    await this.serverEnv.createObject(this.server, 'users', name);
    return await this.serverEnv.createKey(this.server, `${name}s`, { user: name, ...key });
  }

  async directToken(key: string, spec: JsonObject = {}): Promise<string> {
    const response = await this.serverEnv.send(this.server, `${groupPath}/directclusterendpointtokens`, {
      method: 'POST',
      token: key,
      body: { spec },
    });
    expect(response.code, response.text).toBe(201);
    return textAt(response.json, 'status', 'token');
  }
}
