import { flagAt, type JsonValue, parseTrustedJson, textAt, writeJson } from '@flotilla/json';
import { serviceUnavailable, unauthorized } from '../../../api/status.ts';
import type { HostConnection } from '../reach/host-connection.ts';
import { describePermission, type RequiredPermission } from './required-permissions.ts';

type Connection = Pick<HostConnection, 'fetch'>;

/** The namespace kube-system exists for the whole lifetime of a cluster, so its uid identifies the cluster. */
const identityPath = '/api/v1/namespaces/kube-system';
const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
/**
 * The number of access reviews that are sent at the same time. It is high enough for a connection with high latency,
 * and too low to put load on the cluster.
 */
const concurrentReviews = 8;
const maxMessageLength = 300;
/** Maximum size of a response. A server that sends more is not a Kubernetes API server. */
const maxBytes = 256 * 1024;
/**
 * Maximum length of a version or uid. A longer text is not accepted, because versions and uids are stored and
 * displayed.
 */
const maxTextLength = 100;

export interface ClusterProbe {
  /** The Kubernetes version of the cluster; empty if the credentials do not permit reading it. */
  readonly kubernetesVersion: string;
  /** The uid of the namespace kube-system; empty if the credentials do not permit reading it. */
  readonly uid: string;
}

/**
 * Checks that a cluster is reachable, is ready and accepts the credentials. Rejects with StatusError: 401 if the
 * cluster rejects the credentials; 503 if the cluster does not respond, is not ready or is not a Kubernetes cluster.
 */
export async function probeCluster(connection: Connection, signal: AbortSignal): Promise<ClusterProbe> {
  await request(connection, '/readyz', signal);
  const version = await request(connection, '/version', signal);
  const kubernetesVersion = shortTextAt(version.document, 'gitVersion');
  if (kubernetesVersion === '' && version.code !== 403) throw notKubernetes();
  return { kubernetesVersion, uid: await clusterUidOf(connection, signal) };
}

/**
 * Returns the uid that identifies the cluster; empty if the credentials do not permit reading it. Rejects with the same
 * errors as `probeCluster`.
 */
export async function clusterUidOf(connection: Connection, signal: AbortSignal): Promise<string> {
  const { code, document } = await request(connection, identityPath, signal);
  if (code === 403) return '';
  const uid = shortTextAt(document, 'metadata', 'uid');
  if (uid === '') throw notKubernetes();
  return uid;
}

export interface PermissionCheck {
  /** The permissions that the server needs on the cluster. */
  readonly required: readonly RequiredPermission[];
  readonly signal: AbortSignal;
}

/** Returns descriptions of the permissions that the server needs on the cluster but that its credentials lack. */
export async function missingPermissions(
  connection: Connection,
  { required, signal }: PermissionCheck,
): Promise<readonly string[]> {
  if (await isAllowed(connection, { verb: '*', group: '*', resource: '*' }, signal)) return [];
  const missing: string[] = [];
  for (let start = 0; start < required.length; start += concurrentReviews) {
    const batch = required.slice(start, start + concurrentReviews);
    const allowed = await Promise.all(batch.map((permission) => isAllowed(connection, permission, signal)));
    missing.push(...batch.filter((_, at) => allowed[at] !== true).map(describePermission));
  }
  return missing;
}

async function isAllowed(
  connection: Connection,
  permission: RequiredPermission,
  signal: AbortSignal,
): Promise<boolean> {
  const { document } = await request(connection, reviewPath, signal, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { ...permission } },
  });
  return flagAt(document, 'status', 'allowed');
}

interface ProbeResponse {
  readonly code: number;
  /** The response body; `null` if it is not JSON. */
  readonly document: JsonValue;
}

async function request(
  connection: Connection,
  path: string,
  signal: AbortSignal,
  body?: JsonValue,
): Promise<ProbeResponse> {
  const response = await connection.fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: writeJson(body) }),
    signal,
  });
  const text = await textOf(response);
  const answer = { code: response.status, document: documentOf(text) };
  if (answer.code === 401 || isAnonymous(answer)) throw unauthorized();
  if (answer.code < 500) return answer;
  const message = (textAt(answer.document, 'message') || text).slice(0, maxMessageLength).trim();
  throw serviceUnavailable(`the API server returned status ${answer.code} for ${path}: ${message}`);
}

async function textOf({ body }: Awaited<ReturnType<Connection['fetch']>>): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw notKubernetes();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns a string from the document; empty if it is missing or too long for a version or uid. */
function shortTextAt(document: JsonValue, ...path: string[]): string {
  const text = textAt(document, ...path);
  return text.length > maxTextLength ? '' : text;
}

/**
 * True if the cluster treated the request as anonymous. Kubernetes does so, instead of responding with 401, if it does
 * not trust the authority of the client certificate.
 */
function isAnonymous({ code, document }: ProbeResponse): boolean {
  return code === 403 && textAt(document, 'message').includes('"system:anonymous"');
}

function documentOf(text: string): JsonValue {
  try {
    return parseTrustedJson(text);
  } catch {
    return null;
  }
}

function notKubernetes(): Error {
  return serviceUnavailable('the server at this address is not a Kubernetes API server');
}
