import type { JsonValue } from '@flotilla/json';
import { flagAt, parseTrustedJson, textAt, writeJson } from '@flotilla/json';
import { serviceUnavailable, unauthorized } from '../../../api/status.ts';
import type { HostConnection } from '../reach/host-connection.ts';
import { describePermission, type RequiredPermission, requiredPermissions } from './required-permissions.ts';

type Connection = Pick<HostConnection, 'fetch'>;

/** A namespace that every cluster has for its whole lifetime; its uid identifies the cluster. */
const identityPath = '/api/v1/namespaces/kube-system';
const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
/** Enough to be fast over a high-latency connection, and too few to load the cluster. */
const concurrentReviews = 8;
const maxMessageLength = 300;
/** Far more than any expected response; a server that sends more is not Kubernetes. */
const maxBytes = 256 * 1024;
/** Versions and uids are stored and displayed, so their length is limited. */
const maxTextLength = 100;

export interface ClusterProbe {
  /** Empty if the credentials may not read it. */
  readonly kubernetesVersion: string;
  /** Identifies the cluster; empty if the credentials may not read it. */
  readonly uid: string;
}

/**
 * Checks that a cluster is reachable, ready and accepts the credentials. Rejects with StatusError: 401 if it rejects
 * the credentials, 503 if it does not respond, is not ready or is not Kubernetes.
 */
export async function probeCluster(connection: Connection, signal: AbortSignal): Promise<ClusterProbe> {
  await request(connection, '/readyz', signal);
  const version = await request(connection, '/version', signal);
  const kubernetesVersion = shortTextAt(version.document, 'gitVersion');
  if (kubernetesVersion === '' && version.code !== 403) throw notKubernetes();
  return { kubernetesVersion, uid: await clusterUidOf(connection, signal) };
}

/** The uid of the cluster; empty if the credentials may not read it. Rejects like `probeCluster`. */
export async function clusterUidOf(connection: Connection, signal: AbortSignal): Promise<string> {
  const { code, document } = await request(connection, identityPath, signal);
  if (code === 403) return '';
  const uid = shortTextAt(document, 'metadata', 'uid');
  if (uid === '') throw notKubernetes();
  return uid;
}

/** The permissions that the server needs there and its credentials lack, as readable text. */
export async function missingPermissions(connection: Connection, signal: AbortSignal): Promise<readonly string[]> {
  if (await isAllowed(connection, { verb: '*', group: '*', resource: '*' }, signal)) return [];
  const missing: string[] = [];
  for (let start = 0; start < requiredPermissions.length; start += concurrentReviews) {
    const batch = requiredPermissions.slice(start, start + concurrentReviews);
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
  /** `null` if the response is not JSON. */
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
  throw serviceUnavailable(`it returned status ${answer.code} for ${path}: ${message}`);
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

/** Empty if the text is too long for a version or uid. */
function shortTextAt(document: JsonValue, ...path: string[]): string {
  const text = textAt(document, ...path);
  return text.length > maxTextLength ? '' : text;
}

/** A client certificate of an unknown authority is not rejected: its holder is treated as anonymous. */
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
