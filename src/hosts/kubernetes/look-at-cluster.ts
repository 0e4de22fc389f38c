import { serviceUnavailable, unauthorized } from '../../api/status.ts';
import { parseTrustedJson } from '../../lib/json-parse.ts';
import { flagAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { writeJson } from '../../lib/json-write.ts';
import type { HostConnection } from './host-connection.ts';
import { describeRight, type NeededRight, neededRights } from './needed-rights.ts';

type Wire = Pick<HostConnection, 'fetch'>;

/** A namespace that every cluster has and that lives as long as the cluster. */
const identityPath = '/api/v1/namespaces/kube-system';
const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
/** Enough to be quick over a long way, and too few to be felt. */
const reviewsAtATime = 8;
const shownCharacters = 300;
/** Far beyond every answer that is asked for here; whoever sends more is something else. */
const mostBytes = 256 * 1024;
/** Versions and uids are stored and shown. */
const longestWord = 100;

export interface ClusterLook {
  /** '' where the credentials may not read it. */
  readonly kubernetesVersion: string;
  /** Tells the cluster from every other; '' where the credentials may not read what does. */
  readonly uid: string;
}

/**
 * Whether a cluster is there, ready, and lets the server in. Rejects with StatusError: 401 where it does not know the
 * credentials, 503 where it does not answer, is not ready or is no Kubernetes.
 */
export async function lookAtCluster(wire: Wire, signal: AbortSignal): Promise<ClusterLook> {
  await ask(wire, '/readyz', signal);
  const version = await ask(wire, '/version', signal);
  const kubernetesVersion = wordAt(version.document, 'gitVersion');
  if (kubernetesVersion === '' && version.code !== 403) throw notKubernetes();
  return { kubernetesVersion, uid: await identityOf(wire, signal) };
}

/** The uid of the cluster; '' where the credentials may not read it. Rejects as `lookAtCluster` does. */
export async function identityOf(wire: Wire, signal: AbortSignal): Promise<string> {
  const { code, document } = await ask(wire, identityPath, signal);
  if (code === 403) return '';
  const uid = wordAt(document, 'metadata', 'uid');
  if (uid === '') throw notKubernetes();
  return uid;
}

/** What the server needs to do there and its credentials do not let it do, as people read it. */
export async function missingRights(wire: Wire, signal: AbortSignal): Promise<readonly string[]> {
  if (await isAllowed(wire, { verb: '*', group: '*', resource: '*' }, signal)) return [];
  const missing: string[] = [];
  for (let start = 0; start < neededRights.length; start += reviewsAtATime) {
    const some = neededRights.slice(start, start + reviewsAtATime);
    const allowed = await Promise.all(some.map((right) => isAllowed(wire, right, signal)));
    missing.push(...some.filter((_, at) => allowed[at] !== true).map(describeRight));
  }
  return missing;
}

async function isAllowed(wire: Wire, right: NeededRight, signal: AbortSignal): Promise<boolean> {
  const { document } = await ask(wire, reviewPath, signal, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { ...right } },
  });
  return flagAt(document, 'status', 'allowed');
}

interface Answer {
  readonly code: number;
  /** null where the answer is no JSON. */
  readonly document: JsonValue;
}

async function ask(wire: Wire, path: string, signal: AbortSignal, body?: JsonValue): Promise<Answer> {
  const response = await wire.fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: writeJson(body) }),
    signal,
  });
  const text = await textOf(response);
  const answer = { code: response.status, document: documentOf(text) };
  if (answer.code === 401 || isAnonymous(answer)) throw unauthorized();
  if (answer.code < 500) return answer;
  const words = (textAt(answer.document, 'message') || text).slice(0, shownCharacters).trim();
  throw serviceUnavailable(`it answers ${answer.code} to ${path}: ${words}`);
}

async function textOf({ body }: Awaited<ReturnType<Wire['fetch']>>): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw notKubernetes();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** '' for what no version or uid looks like. */
function wordAt(document: JsonValue, ...path: string[]): string {
  const word = textAt(document, ...path);
  return word.length > longestWord ? '' : word;
}

/** A client certificate of another authority is not refused: whoever comes with it is nobody in particular. */
function isAnonymous({ code, document }: Answer): boolean {
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
  return serviceUnavailable('what answers there is no Kubernetes API');
}
