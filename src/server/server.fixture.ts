import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { Agent, type Dispatcher, request } from 'undici';
import { expect } from 'vitest';
import { workerEtcdFlags } from '../../test/harness/etcd/worker-etcd.ts';
import { managementGroup } from '../api/naming.ts';
import { startOnSameThread } from '../builtin/workers/same-thread.fixture.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Log, silentLog } from '../lib/log.ts';
import type { ConfiguredManagementSettings } from '../management/settings.ts';
import { openEmbeddedStore } from '../store/embedded/embedded.ts';
import { openEtcdStore } from '../store/etcd/etcd-store.ts';
import type { Store } from '../store/store.ts';
import type { ServerThreads } from './server-context.ts';
import type { FlagValues } from './settings/flags.ts';
import { readOptions } from './settings/options.ts';
import { type RunningServer, startServer } from './start-server.ts';
import { renderOnSameThread } from './templates/same-thread.fixture.ts';

export const groupPath = `/kubernetes/management/apis/${managementGroup}/v1`;

export interface RequestOptions {
  readonly method?: Dispatcher.HttpMethod;
  /** The access key of the request. Optional; defaults to the administrator's key. '' sends none. */
  readonly token?: string;
  readonly body?: JsonValue;
  /** The request body as text or bytes, for a body that is not JSON. */
  readonly raw?: string | Uint8Array;
  /** The content type of the request body. */
  readonly type?: string;
}

export interface ParsedResponse {
  readonly code: number;
  readonly text: string;
  /** The parsed response body; `{}` if it is not JSON. */
  readonly json: JsonObject;
}

export function mergePatch(body: JsonValue): RequestOptions {
  return { method: 'PATCH', type: 'application/merge-patch+json', body };
}

/** Runs servers over TLS for one test. Their temporary directory is removed after the test. */
export class ServerTestEnv {
  readonly root: string;
  dataDir: string;
  /** The directory from which the server reads the console. It is empty by default. */
  readonly consoleDir: string;
  /** The store of the servers. Optional; by default each server opens the store in its data directory. */
  store: Store | undefined;
  /**
   * True if servers use the values of `hosts.deniedCIDRs` and `hosts.allowPlainHttp` that the test sets. Otherwise,
   * servers deny no addresses and allow plain HTTP.
   */
  deniesLoopback = false;
  /** The version that decides which agents may connect to the servers. Optional; defaults to the version of the program. */
  serverVersion: string | undefined;
  #running: RunningServer[] = [];
  readonly #agents: Agent[] = [];

  /** The setting `auth.freshLoginSeconds` of servers that start from now on. */
  freshLoginSeconds = 0;
  /** True if access keys get the default lifetimes of new installations. */
  isNewInstallation = false;

  constructor(root: string) {
    this.root = root;
    this.dataDir = join(root, 'data');
    this.consoleDir = join(root, 'console');
  }

  static async open(): Promise<ServerTestEnv> {
    return new ServerTestEnv(await mkdtemp(join(tmpdir(), 'server-')));
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.destroy()));
    await Promise.all(this.#running.map((server) => server.close()));
    await rm(this.root, { recursive: true });
  }

  async start(
    flags: FlagValues = {},
    clock: Clock = systemClock,
    log: Log = silentLog,
    rendering: ServerThreads['rendering'] = renderOnSameThread,
  ): Promise<RunningServer> {
    const { 'data-dir': dataDir = this.dataDir } = flags;
    const hasOwnStore = flags.store !== undefined || this.store !== undefined;
    const store = hasOwnStore ? {} : workerEtcdFlags([dataDir].flat().join());
    const read = await readOptions({ 'data-dir': this.dataDir, listen: '127.0.0.1:0', ...store, ...flags });
    const options = {
      ...read,
      console: { ...read.console, directory: this.consoleDir },
      management: this.#management(read.management),
    };
    const threads = { planes: startOnSameThread(clock), rendering };
    const { store: shared, serverVersion } = this;
    const server = await startServer(options, { clock, log, threads, store: shared, serverVersion });
    this.#running.push(server);
    return server;
  }

  /**
   * Returns the settings with the test's defaults: access keys may create access keys, and need not expire. Hosts may
   * be on this machine and may use plain HTTP.
   */
  #management(settings: ConfiguredManagementSettings): ConfiguredManagementSettings {
    const { maxTTL, maxUnscopedTTL } = settings.accessKeys;
    const lifetimes = this.isNewInstallation ? {} : { maxTTL: maxTTL ?? 0, maxUnscopedTTL: maxUnscopedTTL ?? 0 };
    return {
      ...settings,
      auth: { ...settings.auth, freshLoginSeconds: this.freshLoginSeconds },
      accessKeys: { ...settings.accessKeys, ...lifetimes },
      hosts: { ...settings.hosts, ...(this.deniesLoopback ? {} : { deniedCIDRs: [], allowPlainHttp: true }) },
    };
  }

  /** Writes a configuration file with these settings. Returns the flags that select it. */
  async settings(settings: JsonObject): Promise<FlagValues> {
    const file = join(this.root, 'settings.yaml');
    await writeFile(file, JSON.stringify(settings));
    return { config: file };
  }

  /** Opens the store of the data directory while no server runs. The caller must close it. */
  async openStore(): Promise<Store> {
    const { store: endpoints, 'etcd-prefix': prefix } = workerEtcdFlags(this.dataDir);
    if (endpoints === undefined || prefix === undefined) return openEmbeddedStore({ directory: this.file('store') });
    return openEtcdStore({ endpoints, prefix });
  }

  async stop(server: RunningServer): Promise<void> {
    this.#running = this.#running.filter((each) => each !== server);
    await server.close();
  }

  file(name: string): string {
    return join(this.dataDir, name);
  }

  read(name: string): Promise<string> {
    return readFile(this.file(name), 'utf8');
  }

  async adminKey(): Promise<string> {
    return (await this.read('admin.key')).trim();
  }

  async request(
    server: RunningServer,
    path: string,
    call: RequestOptions = {},
    headers: Record<string, string> = {},
  ): Promise<Dispatcher.ResponseData> {
    const agent = new Agent({ connect: { ca: await this.read('ca.crt') } });
    this.#agents.push(agent);
    const token = call.token ?? (await this.adminKey());
    const body = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    return await request(`${server.url}${path}`, {
      dispatcher: agent,
      method: call.method ?? 'GET',
      headers: {
        'content-type': call.type ?? 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
  }

  async send(server: RunningServer, path: string, call: RequestOptions = {}): Promise<ParsedResponse> {
    const response = await this.request(server, path, call);
    const text = await response.body.text();
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return { code: response.statusCode, text, json: isJson ? JSON.parse(text) : {} };
  }

  async createObject(server: RunningServer, plural: string, name: string, spec: JsonObject = {}): Promise<JsonObject> {
    const body = { metadata: { name }, spec };
    const answer = await this.send(server, `${groupPath}/${plural}`, { method: 'POST', body });
    expect(answer.code, answer.text).toBe(201);
    return answer.json;
  }

  async createKey(server: RunningServer, name: string, spec: JsonObject = {}): Promise<string> {
    return textAt(await this.createObject(server, 'ownedaccesskeys', name, spec), 'spec', 'key');
  }

  async names(server: RunningServer, plural: string): Promise<string[]> {
    const { json } = await this.send(server, `${groupPath}/${plural}`);
    return listAt(json, 'items').map((item) => textAt(item, 'metadata', 'name'));
  }

  /**
   * Returns all objects that a new installation contains, so that a test can detect any change to them. Waits for the first
   * task of the leader, which writes the status of the cluster `local`.
   */
  async objects(server: RunningServer): Promise<readonly JsonValue[]> {
    const phase = async () => textAt((await this.send(server, `${groupPath}/clusters/local`)).json, 'status', 'phase');
    await expect.poll(phase, { timeout: 30_000 }).toBe('Initialized');
    const plurals = ['users', 'projects', 'clusters', 'virtualclustertemplates'];
    const lists = await Promise.all(plurals.map((plural) => this.send(server, `${groupPath}/${plural}`)));
    return lists.flatMap(({ json }) => listAt(json, 'items'));
  }
}
