import { type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Clock } from '../lib/clock.ts';
import { inPhase, instancesOf, waitForInstance } from './instances.fixture.ts';
import { type ParsedResponse, type RequestOptions, ServerTestEnv } from './server.fixture.ts';
import type { FlagValues } from './settings/flags.ts';
import type { RunningServer } from './start-server.ts';

export const instances = instancesOf('default');

/** Returns the gateway path of an instance. Below this path, the gateway serves the API of the virtual cluster. */
export const gatewayPath = (name: string, project = 'default') =>
  `/kubernetes/project/${project}/virtualcluster/${name}`;

export const namespacesPathIn = (name: string) => `${gatewayPath(name)}/api/v1/namespaces`;

/** Returns the part of an instance's spec that shares the instance with these users. */
export const sharedWith = (...users: string[]) => ({ access: [{ name: 'use', verbs: ['use', 'get'], users }] });

/** Starts a new server for each gateway test. */
export class GatewayTestEnv {
  #serverEnv: ServerTestEnv | undefined;
  #server: RunningServer | undefined;

  /** Creates the test environment. Must be called inside a describe block. */
  static forEach(flags: () => Promise<FlagValues> = async () => ({})): GatewayTestEnv {
    const at = new GatewayTestEnv();
    beforeEach(async () => {
      at.#serverEnv = await ServerTestEnv.open();
      at.#server = await at.bench.start(await flags());
    });
    afterEach(() => at.bench.close());
    return at;
  }

  get bench(): ServerTestEnv {
    if (this.#serverEnv === undefined) throw new Error('no test is running');
    return this.#serverEnv;
  }

  get server(): RunningServer {
    if (this.#server === undefined) throw new Error('no test is running');
    return this.#server;
  }

  async restart(flags: FlagValues = {}, clock?: Clock): Promise<void> {
    await this.bench.stop(this.server);
    this.#server = await this.bench.start(flags, clock);
  }

  send(path: string, call: RequestOptions = {}): Promise<ParsedResponse> {
    return this.bench.send(this.server, path, call);
  }

  post(path: string, body: JsonValue, token?: string): Promise<ParsedResponse> {
    return this.send(path, { method: 'POST', body, ...(token === undefined ? {} : { token }) });
  }

  /** Sends a request whose response is a stream, such as a watch. */
  openStream(path: string, token?: string) {
    return this.bench.request(this.server, path, token === undefined ? {} : { token });
  }

  async code(path: string, token?: string): Promise<number> {
    return (await this.send(path, token === undefined ? {} : { token })).code;
  }

  waitForInstance(name: string, has: (instance: JsonObject | undefined) => boolean): Promise<JsonObject> {
    return waitForInstance(this.bench, this.server, { name }, has);
  }

  /** Creates an instance and waits until it is Ready. */
  async createInstance(name: string, spec: JsonObject = {}, annotations: JsonObject = {}): Promise<JsonObject> {
    const response = await this.post(instances, { metadata: { name, annotations }, spec });
    expect(response.code, response.text).toBe(201);
    return await this.waitForInstance(name, inPhase('Ready'));
  }

  /** Creates a user and returns their access key. */
  async createUser(name: string, key: JsonObject = {}): Promise<string> {
    await this.bench.createObject(this.server, 'users', name);
    return await this.bench.createKey(this.server, `${name}s`, { user: name, ...key });
  }

  async kubeconfig(name: string, spec: JsonObject = {}, token?: string): Promise<JsonObject> {
    const response = await this.post(`${instances}/${name}/kubeconfig`, { spec }, token);
    expect(response.code, response.text).toBe(201);
    return load(textAt(response.json, 'status', 'kubeConfig')) as JsonObject;
  }

  /** Returns the gateway token from the kubeconfig that this caller receives. */
  async token(name: string, token?: string, spec: JsonObject = {}): Promise<string> {
    return textAt(listAt(await this.kubeconfig(name, spec, token), 'users')[0], 'user', 'token');
  }

  /** Returns the name and groups that the caller has inside the virtual cluster. */
  async identityInside(name: string, token?: string): Promise<{ name: string; groups: readonly JsonValue[] }> {
    const response = await this.post(
      `${gatewayPath(name)}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
      {},
      token,
    );
    expect(response.code, response.text).toBe(201);
    const info = objectAt(response.json, 'status', 'userInfo');
    return { name: textAt(info, 'username'), groups: listAt(info, 'groups') };
  }
}
