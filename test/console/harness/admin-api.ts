import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { managementGroup, managementVersion, projectNamespace } from '../../../src/api/naming.ts';
import type { FlotillaProcess } from '../../harness/flotilla-process.ts';

const apiVersion = `${managementGroup}/${managementVersion}`;

/** Requests that an administrator sends outside the browser. */
export interface AdminApi {
  /** Sends a request to the management API and returns the JSON. Throws on an error response. */
  request<T = unknown>(method: string, path: string, document?: unknown): Promise<T>;
  /** Sends a request through the gateway to a cluster and returns the JSON. Throws on an error response. */
  requestOnCluster<T = unknown>(cluster: string, method: string, path: string, document?: unknown): Promise<T>;
  /** Sends a request with the given access key and returns only the status code. */
  statusOf(accessKey: string, method: string, path: string, document?: unknown): Promise<number>;
  createInstance(name: string, members?: { spec?: object; metadata?: object }, project?: string): Promise<void>;
  createSpace(name: string, members?: { spec?: object; metadata?: object }, project?: string): Promise<void>;
  /** Creates a user who can sign in with this password. */
  createUser(name: string, password: string, spec?: object): Promise<void>;
  close(): Promise<void>;
}

export function adminApi(flotilla: FlotillaProcess): AdminApi {
  const dispatcher = new Agent({ connect: { ca: readFileSync(join(flotilla.dataDirectory, 'ca.crt')) } });
  const group = `/apis/${apiVersion}`;

  async function respond(
    accessKey: string,
    method: string,
    path: string,
    document?: unknown,
  ): Promise<{ statusCode: number; text: string }> {
    const { statusCode, body } = await request(`${flotilla.url}/kubernetes${path}`, {
      method: method as 'GET',
      dispatcher,
      headers: {
        authorization: `Bearer ${accessKey}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(document === undefined ? {} : { body: JSON.stringify(document) }),
    });
    return { statusCode, text: await body.text() };
  }

  async function ask<T>(method: string, path: string, document?: unknown): Promise<T> {
    const { statusCode, text } = await respond(flotilla.adminKey, method, path, document);
    if (statusCode >= 400) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return JSON.parse(text) as T;
  }

  const createIn =
    (kind: string): AdminApi['createInstance'] =>
    async (name, { spec = {}, metadata = {} } = {}, project = 'default') => {
      const object = { apiVersion, kind, metadata: { name, ...metadata }, spec };
      await ask('POST', `/management${group}/namespaces/${projectNamespace(project)}/${kind.toLowerCase()}s`, object);
    };

  return {
    request: (method, path, document) => ask(method, `/management${path}`, document),
    requestOnCluster: (cluster, method, path, document) => ask(method, `/cluster/${cluster}${path}`, document),
    statusOf: async (accessKey, method, path, document) =>
      (await respond(accessKey, method, `/management${path}`, document)).statusCode,
    createInstance: createIn('VirtualClusterInstance'),
    createSpace: createIn('SpaceInstance'),
    async createUser(name, password, spec = {}) {
      const object = { apiVersion, kind: 'User', metadata: { name }, spec: { ...spec, password } };
      await ask('POST', `/management${group}/users`, object);
    },
    close: () => dispatcher.destroy(),
  };
}
