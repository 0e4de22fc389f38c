import { controllersUser, kubernetesAuthenticatedGroup, kubernetesMastersGroup } from '../api/naming.ts';
import { type Status, StatusError, serviceUnavailable } from '../api/status.ts';
import { parseTrustedJson } from '../lib/json-parse.ts';
import { isJsonObject, type JsonObject } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';
import type { ApiRequest, ClusterApi } from './host.ts';

/** Requests to a virtual cluster as the one who may do everything in it. */
export interface VirtualClient {
  /** The answer as JSON. Rejects with StatusError for one that says no. */
  get(path: string): Promise<JsonObject>;
  /** The answer to a POST, as JSON. */
  create(path: string, object: JsonObject): Promise<JsonObject>;
  /** Server-side apply; what others have set is taken over. */
  apply(path: string, object: JsonObject): Promise<void>;
  delete(path: string): Promise<void>;
}

const server = { name: controllersUser, groups: [kubernetesMastersGroup, kubernetesAuthenticatedGroup] };
/** What is written inside is marked as written by this one. */
const fieldManager = 'flotilla';
/** Discovery and lists of bindings are far below; what is longer is not read to its end. */
const longestAnswer = 16 * 1024 * 1024;

export function virtualClient(api: ClusterApi, signal: AbortSignal): VirtualClient {
  async function call(method: string, path: string, type = '', body?: JsonObject): Promise<string> {
    const sent: Pick<ApiRequest, 'headers' | 'body'> =
      body === undefined
        ? { headers: { accept: 'application/json' } }
        : { headers: { accept: 'application/json', 'content-type': type }, body: oneChunk(writeJson(body)) };
    const answer = await api.send({ method, path, ...sent, as: server, signal });
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of answer.body) {
      length += chunk.length;
      if (length > longestAnswer) throw serviceUnavailable(`the virtual cluster's answer to ${path} is too long`);
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    if (answer.status >= 400) throw refusal(answer.status, text);
    return text;
  }
  return {
    async get(path) {
      return objectOf(await call('GET', path));
    },
    async create(path, object) {
      return objectOf(await call('POST', path, 'application/json', object));
    },
    async apply(path, object) {
      const type = 'application/apply-patch+yaml';
      await call('PATCH', `${path}?fieldManager=${fieldManager}&force=true`, type, object);
    },
    async delete(path) {
      await call('DELETE', path);
    },
  };
}

function objectOf(text: string): JsonObject {
  return text.startsWith('{') ? (parseTrustedJson(text) as JsonObject) : {};
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function refusal(code: number, text: string): StatusError {
  try {
    const status: unknown = JSON.parse(text);
    if (isJsonObject(status) && status.kind === 'Status') return new StatusError(status as unknown as Status);
  } catch {
    // Not a Status: its words are passed on below.
  }
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `the virtual cluster answered ${code}: ${text.slice(0, 200)}`,
    code,
  });
}
