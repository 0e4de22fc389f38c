import { isJsonObject, type JsonObject, parseTrustedJson, writeJson } from '@flotilla/json';
import { controllersUser, kubernetesAuthenticatedGroup, kubernetesMastersGroup } from '../api/naming.ts';
import { type Status, StatusError, serviceUnavailable } from '../api/status.ts';
import type { ApiRequest, ClusterApi } from './host.ts';

/** A client that sends requests to a virtual cluster as its administrator. Rejects with StatusError. */
export interface VirtualClusterClient {
  /** Sends a GET and returns the JSON body of the response. */
  get(path: string): Promise<JsonObject>;
  /** Sends the object in a POST and returns the JSON body of the response. */
  create(path: string, object: JsonObject): Promise<JsonObject>;
  /** Applies the object by server-side apply with `force`, which takes over fields that other managers own. */
  apply(path: string, object: JsonObject): Promise<void>;
  delete(path: string): Promise<void>;
}

const server = { name: controllersUser, groups: [kubernetesMastersGroup, kubernetesAuthenticatedGroup] };
/** The field manager under which this server applies objects inside virtual clusters. */
const fieldManager = 'flotilla';
/** Maximum length of a response. Discovery documents and lists of bindings are far smaller. */
const maxResponseLength = 16 * 1024 * 1024;

export function createVirtualClusterClient(api: ClusterApi, signal: AbortSignal): VirtualClusterClient {
  async function call(method: string, path: string, type = '', body?: JsonObject): Promise<string> {
    const sent: Pick<ApiRequest, 'headers' | 'body'> =
      body === undefined
        ? { headers: { accept: 'application/json' } }
        : { headers: { accept: 'application/json', 'content-type': type }, body: oneChunk(writeJson(body)) };
    const response = await api.send({ method, path, ...sent, as: server, signal });
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body) {
      length += chunk.length;
      if (length > maxResponseLength)
        throw serviceUnavailable(`the virtual cluster's response to ${path} exceeds 16 MiB`);
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    if (response.status >= 400) throw toStatusError(response.status, text);
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

function toStatusError(code: number, text: string): StatusError {
  try {
    const status: unknown = JSON.parse(text);
    if (isJsonObject(status) && status.kind === 'Status') return new StatusError(status as unknown as Status);
  } catch {
    // The body of the response is not a Status, so the error quotes the text of the body.
  }
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `the virtual cluster returned status ${code}: ${text.slice(0, 200)}`,
    code,
  });
}
