import type { Pair, PairRequest, SendOptions } from './pair.ts';
import type { KeptObject, Received } from './side.ts';
import { group } from './workshop-kinds.ts';

export const groupPath = `/apis/${group}/v1`;
export const apiVersion = `${group}/v1`;

export const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';
export const asPartial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
export const asPartialList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
export const mergePatch = 'application/merge-patch+json';
export const jsonPatch = 'application/json-patch+json';
export const applyPatch = 'application/apply-patch+yaml';

/** The last column of a gadget's row, its age. */
export const age = /\.cells\[7\]/;

export interface GadgetParts {
  readonly metadata?: object;
  readonly spec?: unknown;
  readonly status?: unknown;
}

export function gadget(
  name: string,
  { metadata, spec = { color: 'red', size: 3 }, status }: GadgetParts = {},
): KeptObject {
  return { apiVersion, kind: 'Gadget', metadata: { name, ...metadata }, spec, status } as KeptObject;
}

export interface CallOptions extends SendOptions {
  /** The query of the URL, including the question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
}

type Answers = Promise<readonly [Received, Received]>;

/** Sends requests for the gadgets of one namespace to both servers and compares the responses. */
export class Gadgets {
  readonly pair: Pair;
  readonly namespace: string;
  readonly path: string;

  constructor(pair: Pair, namespace: string) {
    this.pair = pair;
    this.namespace = namespace;
    this.path = `${groupPath}/namespaces/${namespace}/gadgets`;
  }

  async makeNamespace(): Promise<void> {
    const json = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } };
    await this.pair.prepare({ method: 'POST', path: '/api/v1/namespaces', json });
  }

  send(request: PairRequest, options?: SendOptions): Answers {
    return this.pair.send(request, options);
  }

  /** Sends a GET. `where` is the rest of the path after `gadgets`, with the query. */
  get(where = '', { headers = {}, ...options }: CallOptions = {}): Answers {
    return this.send({ path: this.path + where, headers }, options);
  }

  post(json: unknown, { query = '', headers = {}, ...options }: CallOptions = {}): Answers {
    return this.send({ method: 'POST', path: this.path + query, json, headers }, options);
  }

  postText(body: string, type: string, { query = '', ...options }: CallOptions = {}): Answers {
    const headers = { 'content-type': type };
    return this.send({ method: 'POST', path: this.path + query, body, headers }, options);
  }

  /** Sends a PUT with the object that was kept under the name `kept`, after changing it with `change`. */
  put(kept: string, change: (object: KeptObject) => void, options: CallOptions & { where?: string } = {}): Answers {
    const { query = '', headers = {}, where = `/${kept}`, ...rest } = options;
    return this.send(
      (side) => {
        const json = side.kept(kept);
        change(json);
        return { method: 'PUT', path: `${this.path}${where}${query}`, json, headers };
      },
      { keepAs: kept, ...rest },
    );
  }

  patch(
    name: string,
    type: string,
    patch: unknown,
    { query = '', headers = {}, ...options }: CallOptions = {},
  ): Answers {
    const body = typeof patch === 'string' ? patch : JSON.stringify(patch);
    const path = `${this.path}/${name}${query}`;
    return this.send({ method: 'PATCH', path, body, headers: { 'content-type': type, ...headers } }, options);
  }

  /** Applies the gadget `name` with server-side apply. */
  apply(manager: string, name: string, parts: GadgetParts, { query = '', ...options }: CallOptions = {}): Answers {
    const body = { apiVersion, kind: 'Gadget', metadata: { name, ...parts.metadata }, spec: parts.spec };
    return this.patch(name, applyPatch, body, { query: `?fieldManager=${manager}${query}`, ...options });
  }

  delete(where: string, sent?: unknown, { headers = {}, ...options }: CallOptions = {}): Answers {
    const path = this.path + where;
    if (sent === undefined) return this.send({ method: 'DELETE', path, headers }, options);
    const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
    return this.send(
      { method: 'DELETE', path, body, headers: { 'content-type': 'application/json', ...headers } },
      options,
    );
  }
}
