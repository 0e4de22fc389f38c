import { type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { parseQuantity } from '@flotilla/kubernetes-formats';
import { serviceUnavailable } from '../../../api/status.ts';
import type { HostConnection } from '../reach/host-connection.ts';

/** The use of resources by one pod or one claim of a namespace. */
export interface NamespacedUse<Use> {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly use: Use;
}

export interface PodUse {
  readonly cpuMillis: number;
  readonly memoryKib: number;
}

export interface ClaimUse {
  readonly storageKib: number;
}

/** The use of resources on a host. A field is absent if the host does not report it. */
export interface HostUse {
  readonly pods?: readonly NamespacedUse<PodUse>[];
  readonly claims?: readonly NamespacedUse<ClaimUse>[];
}

const podMetricsPath = '/apis/metrics.k8s.io/v1beta1/pods';
const claimsPath = '/api/v1/persistentvolumeclaims?limit=500';
/** The maximum sizes of responses: enough for the metrics of 20,000 pods, and for 500 claims. Longer responses are discarded. */
const maxPodsBytes = 16 * 1024 * 1024;
const maxClaimsBytes = 4 * 1024 * 1024;
/**
 * The maximum number of values in a response; the metrics of 20,000 pods have fewer. Each value needs up to a hundred bytes of
 * memory, however short its text is, and hosts are not trusted.
 */
const maxResponseValues = 800_000;
/** The maximum number of pages of claims: 10,000 claims. */
const maxPages = 20;

/**
 * Reads the CPU and memory of pods from the API `metrics.k8s.io`, and the capacity of persistent volume claims. Omits
 * what the host does not serve and what the host's credentials do not permit to read. Rejects only if the signal fires.
 */
export async function readHostUse(connection: Pick<HostConnection, 'fetch'>, signal: AbortSignal): Promise<HostUse> {
  const [pods, claims] = await Promise.all([
    unlessUnavailable(readPods(connection, signal), signal),
    unlessUnavailable(readClaims(connection, signal), signal),
  ]);
  return { ...(pods === undefined ? {} : { pods }), ...(claims === undefined ? {} : { claims }) };
}

async function unlessUnavailable<T>(reading: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

async function readPods(
  connection: Pick<HostConnection, 'fetch'>,
  signal: AbortSignal,
): Promise<NamespacedUse<PodUse>[]> {
  const document = await readDocument(connection, podMetricsPath, { signal, maxBytes: maxPodsBytes });
  return listAt(document, 'items').map((pod) => {
    let cpuMillis = 0;
    let memoryKib = 0;
    for (const container of listAt(pod, 'containers')) {
      cpuMillis += plausible(amountAt(container, 'usage', 'cpu') * 1000, mostCpuMillis);
      memoryKib += plausible(amountAt(container, 'usage', 'memory') / 1024, mostKib);
    }
    return { ...placeOf(pod), use: { cpuMillis, memoryKib } };
  });
}

async function readClaims(
  connection: Pick<HostConnection, 'fetch'>,
  signal: AbortSignal,
): Promise<NamespacedUse<ClaimUse>[]> {
  const claims: NamespacedUse<ClaimUse>[] = [];
  let next = '';
  for (let page = 0; page < maxPages; page++) {
    const path = next === '' ? claimsPath : `${claimsPath}&continue=${encodeURIComponent(next)}`;
    const document = await readDocument(connection, path, { signal, maxBytes: maxClaimsBytes });
    for (const claim of listAt(document, 'items')) {
      const bytes =
        amountAt(claim, 'status', 'capacity', 'storage') || amountAt(claim, 'spec', 'resources', 'requests', 'storage');
      claims.push({ ...placeOf(claim), use: { storageKib: plausible(bytes / 1024, mostKib) } });
    }
    next = textAt(document, 'metadata', 'continue');
    if (next === '') return claims;
  }
  throw serviceUnavailable('the cluster has too many persistent volume claims to count their storage');
}

function placeOf(object: JsonValue): { readonly namespace: string; readonly labels: Record<string, string> } {
  const labels = (objectAt(object, 'metadata', 'labels') ?? {}) as Record<string, string>;
  return { namespace: textAt(object, 'metadata', 'namespace'), labels };
}

/** The highest plausible use of one container or claim: 100,000 cores or a pebibyte. */
const mostCpuMillis = 100_000_000;
const mostKib = 1024 ** 4;

/** Returns the amount; 0 if it is implausible. A single implausible amount would falsify the sums of all projects. */
function plausible(amount: number, most: number): number {
  return amount >= 0 && amount <= most ? amount : 0;
}

/** Returns a quantity as a number; 0 if it is absent or invalid. */
function amountAt(document: JsonValue, ...path: string[]): number {
  const text = textAt(document, ...path);
  if (text === '') return 0;
  try {
    return Number(parseQuantity(text).billionths) / 1e9;
  } catch {
    return 0;
  }
}

async function readDocument(
  connection: Pick<HostConnection, 'fetch'>,
  path: string,
  { signal, maxBytes }: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<JsonValue> {
  const response = await connection.fetch(path, { method: 'GET', headers: { Accept: 'application/json' }, signal });
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw serviceUnavailable(`the response to ${path} is too large`);
    text += decoder.decode(chunk, { stream: true });
  }
  if (response.status !== 200) throw serviceUnavailable(`the response to ${path} has the status ${response.status}`);
  text += decoder.decode();
  if (hasMoreValues(text, maxResponseValues)) throw serviceUnavailable(`the response to ${path} has too many values`);
  // All amounts are JSON strings, so the parser need not keep numbers exact.
  return JSON.parse(text) as JsonValue;
}

/**
 * True if a JSON text may have more than `most` values. Counts the characters that can precede a value, even inside
 * strings, so the count may be too high.
 */
function hasMoreValues(text: string, most: number): boolean {
  let count = 0;
  for (const character of [',', '[', '{']) {
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
      if (++count > most) return true;
    }
  }
  return false;
}
