import { Agent, request } from 'undici';
import { eventually } from '../bad-days/eventually.ts';
import type { RegisterEndpoint } from './register-client.ts';
import type { Replica, ReplicaSet } from './replica-set.ts';

const management = '/kubernetes/management/apis/management.platform.sh/v1';
const dispatcher = new Agent({ connect: { rejectUnauthorized: false, timeout: 2_000 }, connections: 50 });

export interface ReplicaResponse {
  readonly code: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends a request to one replica. The code is 0 if there is no response. */
export async function askReplica(
  replica: Replica,
  token: string,
  path: string,
  { method = 'GET', body, longest = 8_000 }: { method?: string; body?: object; longest?: number } = {},
): Promise<ReplicaResponse> {
  try {
    const response = await request(`${replica.url}${path}`, {
      dispatcher,
      method: method as 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(longest),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    const isJson = `${response.headers['content-type']}`.startsWith('application/json');
    return { code: response.statusCode, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  } catch {
    return { code: 0, body: undefined, headers: {} };
  }
}

/** Sends an administrator's request for a management resource to a replica. */
export function manage(
  set: ReplicaSet,
  replica: number,
  path: string,
  options?: { method?: string; body?: object; longest?: number },
): Promise<ReplicaResponse> {
  return askReplica(set.replica(replica), set.adminKey, `${management}/${path}`, options);
}

/** Creates an object of the management API at a replica. Throws if the replica refuses it. */
export async function createAt(set: ReplicaSet, replica: number, path: string, body: object): Promise<unknown> {
  const response = await manage(set, replica, path, { method: 'POST', body });
  if (response.code !== 201) throw new Error(`${path}: ${response.code} ${JSON.stringify(response.body)}`);
  return response.body;
}

/** Creates an instance in the default project at a replica, and waits until it is ready. */
export async function createReadyInstance(set: ReplicaSet, replica: number, name: string, spec = {}): Promise<void> {
  const path = 'namespaces/platform-p-default/virtualclusterinstances';
  await createAt(set, replica, path, { metadata: { name }, spec });
  await eventually(
    60,
    () => manage(set, replica, `${path}/${name}`),
    ({ body }) => isReady(body),
  );
}

interface InstanceBody {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export function isReady(body: unknown): boolean {
  const conditions = (body as InstanceBody | undefined)?.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/**
 * Returns, for each replica, the endpoint of the registers: the ConfigMaps in the namespace `default` of a virtual
 * cluster.
 */
export function registersOf(set: ReplicaSet, instance: string): RegisterEndpoint[] {
  const path = `/kubernetes/project/default/virtualcluster/${instance}/api/v1/namespaces/default/configmaps`;
  return set.replicas.map((replica) => ({ url: `${replica.url}${path}`, token: set.adminKey }));
}
