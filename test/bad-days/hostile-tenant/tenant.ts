import { setTimeout as pause } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { managementGroup, projectNamespace, projectRoles } from '../../../src/api/naming.ts';
import { type ApiCaller, apiRoot } from '../api-caller.ts';
import type { Json } from '../corpus/bad-request.ts';
import { eventually } from '../eventually.ts';

export const managementApi = `/apis/${managementGroup}/v1`;

export interface TenantRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  /** JSON, or text or bytes in the format of `contentType`. */
  readonly body?: Json | Uint8Array;
  /** Optional; defaults to JSON. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True to send no access key. */
  readonly anonymous?: boolean;
}

export interface Response {
  readonly status: number;
  /** The value of the header Retry-After, in seconds. */
  readonly retryAfter?: number;
  readonly text: string;
}

interface TenantOptions {
  readonly name: string;
  readonly role: keyof typeof projectRoles;
}

/** A user with an access key, a project and an instance of her own. All three have her name. */
export class Tenant {
  readonly name: string;
  readonly url: string;
  readonly ca: string;
  readonly key: string;
  /** The path of her virtual cluster. */
  readonly inside: string;
  /** The path of the instances of her project. */
  readonly instances: string;
  readonly #agent: Agent;

  private constructor(name: string, { url, ca }: ApiCaller, key: string) {
    this.name = name;
    this.url = url;
    this.ca = ca;
    this.key = key;
    this.inside = `/kubernetes/project/${name}/virtualcluster/${name}`;
    this.instances = `${apiRoot}${managementApi}/namespaces/${projectNamespace(name)}/virtualclusterinstances`;
    this.#agent = new Agent({ connect: { ca }, connections: 40 });
  }

  /** Creates the user and everything she owns, and waits until her virtual cluster is ready. */
  static async create(admin: ApiCaller, { name, role }: TenantOptions): Promise<Tenant> {
    await admin.make(`${managementApi}/users`, { metadata: { name }, spec: {} });
    await admin.make(`${managementApi}/projects`, {
      metadata: { name },
      spec: {
        members: [{ kind: 'User', name, clusterRole: projectRoles[role] }],
        allowedClusters: [{ name: '*' }],
        allowedTemplates: [{ name: '*' }],
      },
    });
    const created = await admin.send('POST', `${managementApi}/ownedaccesskeys`, {
      metadata: { name },
      spec: { user: name },
    });
    if (created.status !== 201) throw new Error(`the access key: ${created.status} ${created.text}`);
    const { spec } = JSON.parse(created.text) as { spec: { key: string } };
    const tenant = new Tenant(name, admin, spec.key);
    await tenant.make(tenant.instances, { metadata: { name }, spec: {} });
    await eventually(
      20,
      () => tenant.send({ method: 'GET', path: `${tenant.inside}/api/v1/namespaces/default/configmaps` }),
      ({ status }) => status === 200,
    );
    return tenant;
  }

  /** Returns the same tenant as a client of the restarted server. */
  on(restarted: ApiCaller): Tenant {
    return new Tenant(this.name, restarted, this.key);
  }

  async send({ method, path, body, contentType, headers, anonymous }: TenantRequest): Promise<Response> {
    const response = await request(`${this.url}${path}`, {
      dispatcher: this.#agent,
      method,
      headers: {
        ...(anonymous === true ? {} : { authorization: `Bearer ${this.key}` }),
        'content-type': contentType ?? 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: encoded(body) }),
    });
    const text = await response.body.text();
    return { status: response.statusCode, retryAfter: Number(response.headers['retry-after'] ?? 0), text };
  }

  /** Creates an object. If she has sent too many requests, waits for the time that the server requests. */
  async make(path: string, body: Json): Promise<void> {
    for (;;) {
      const { status, text, retryAfter = 0 } = await this.send({ method: 'POST', path, body });
      if (status === 201) return;
      if (status !== 429) throw new Error(`POST ${path}: ${status} ${text.slice(0, 1000)}`);
      await pause(1_000 * retryAfter);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function encoded(body: Json | Uint8Array): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}
