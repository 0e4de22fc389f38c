import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, expect } from 'vitest';
import { type ParsedResponse, type RequestOptions, ServerTestEnv } from './server.fixture.ts';
import type { FlagValues } from './settings/flags.ts';
import type { RunningServer } from './start-server.ts';

export const builtInClusterPath = '/kubernetes/cluster/local';
export const virtualClustersPath = `${builtInClusterPath}/apis/storage.platform.sh/v1/namespaces/default/virtualclusters`;

/** Returns the root path of the API of a virtual cluster. */
export function proxyPath(name: string): string {
  return `${virtualClustersPath}/${name}/proxy`;
}

/** Starts a new server for each test of the built-in cluster. */
export class BuiltInClusterTestEnv {
  #serverEnv: ServerTestEnv | undefined;
  #server: RunningServer | undefined;

  /** Creates the test environment. Must be called inside a describe block. */
  static forEach(): BuiltInClusterTestEnv {
    const local = new BuiltInClusterTestEnv();
    beforeEach(async () => {
      local.#serverEnv = await ServerTestEnv.open();
      local.#server = await local.bench.start();
    });
    afterEach(() => local.bench.close());
    return local;
  }

  get bench(): ServerTestEnv {
    if (this.#serverEnv === undefined) throw new Error('no test is running');
    return this.#serverEnv;
  }

  get server(): RunningServer {
    if (this.#server === undefined) throw new Error('no test is running');
    return this.#server;
  }

  async restart(flags: FlagValues = {}): Promise<void> {
    await this.stop();
    await this.start(flags);
  }

  stop(): Promise<void> {
    return this.bench.stop(this.server);
  }

  async start(flags: FlagValues = {}): Promise<void> {
    this.#server = await this.bench.start(flags);
  }

  send(path: string, call: RequestOptions = {}): Promise<ParsedResponse> {
    return this.bench.send(this.server, path, call);
  }

  post(path: string, body: JsonObject, token?: string): Promise<ParsedResponse> {
    return this.send(path, { method: 'POST', body, ...(token === undefined ? {} : { token }) });
  }

  request(path: string, call: RequestOptions = {}, headers: Record<string, string> = {}) {
    return this.bench.request(this.server, path, call, headers);
  }

  async createVirtualCluster(name: string): Promise<void> {
    const response = await this.post(virtualClustersPath, { metadata: { name } });
    expect(response.code, response.text).toBe(201);
  }

  /**
   * Watches a virtual cluster and returns the first version of it for which `has` is true. `has` receives `{}` if the
   * virtual cluster is deleted.
   */
  async waitForVirtualCluster(name: string, has: (object: JsonObject) => boolean): Promise<JsonObject> {
    const only = `${virtualClustersPath}?fieldSelector=metadata.name%3D${name}`;
    const { json } = await this.send(only);
    const [now = {}] = listAt(json, 'items') as readonly JsonObject[];
    if (has(now)) return now;
    const since = textAt(json, 'metadata', 'resourceVersion');
    const { body } = await this.request(`${only}&watch=true&resourceVersion=${since}&timeoutSeconds=20`);
    let text = '';
    for await (const chunk of body) {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const event = JSON.parse(line) as { type: string; object: JsonObject };
        if (has(event.type === 'DELETED' ? {} : event.object)) return event.object;
      }
    }
    throw new Error('the watch ended without a match');
  }
}

export function inPhase(phase: string): (object: JsonObject) => boolean {
  return (object) => textAt(object, 'status', 'phase') === phase;
}
