import type { Json } from './bad-request.ts';
import type { FieldSchema, ServedApi, ServedKind } from './served-api.ts';

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: FieldSchema }>> };
  readonly 'x-kubernetes-group-version-kind'?: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  };
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, FieldSchema>> };
}

export interface ServedApiOptions {
  readonly root: string;
  readonly namespace: string;
  /** Names of existing objects, by collection (the last segment of its path). */
  readonly names: Readonly<Record<string, string>>;
  /** Gets a document below the root of the API. */
  get(path: string): Promise<Json>;
}

/** Reads the served kinds from the server itself, so that the corpus covers new kinds automatically. */
export async function readServedApi(options: ServedApiOptions): Promise<ServedApi> {
  const index = (await options.get('/openapi/v3')) as { paths: Record<string, Json> };
  const kinds: ServedKind[] = [];
  const definitions = new Map<string, FieldSchema>();
  for (const name of Object.keys(index.paths).filter((path) => /^api(s\/[^/]+)?\/v\d/.test(path))) {
    const document = (await options.get(`/openapi/v3/${name}`)) as unknown as OpenApi;
    for (const [id, schema] of Object.entries(document.components?.schemas ?? {})) definitions.set(id, schema);
    kinds.push(...(await kindsOf(options, document)));
  }
  return { root: options.root, kinds, definitions };
}

async function kindsOf(options: ServedApiOptions, document: OpenApi): Promise<ServedKind[]> {
  const inNamespace = (path: string) => path.replace('{namespace}', options.namespace);
  const methodsOf = (path: string) => Object.keys(document.paths[path] ?? {}).filter((key) => key !== 'parameters');
  const kinds: ServedKind[] = [];
  for (const [path, operations] of Object.entries(document.paths)) {
    const post = operations.post ?? document.paths[`${path}/{name}`]?.put;
    const gvk = post?.['x-kubernetes-group-version-kind'];
    if (path.includes('{name}') || gvk === undefined) continue;
    const schema = Object.values(post?.requestBody?.content ?? {})[0]?.schema ?? {};
    const name = options.names[path.split('/').at(-1) ?? ''] ?? 'absent';
    const apiVersion = gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`;
    const bare = { apiVersion, kind: gvk.kind, metadata: { name: 'never-made' }, spec: {} };
    const found = name === 'absent' ? bare : await options.get(`${inNamespace(path)}/${name}`);
    const below = Object.keys(document.paths).filter((other) => other.startsWith(`${path}/{name}/`));
    kinds.push({
      kind: gvk.kind,
      apiVersion,
      collection: inNamespace(path),
      collectionMethods: methodsOf(path),
      objectMethods: methodsOf(`${path}/{name}`),
      name,
      sample: found as { [name: string]: Json },
      subresources: below.map((other) => ({ name: other.split('/').at(-1) ?? '', methods: methodsOf(other) })),
      schema,
    });
  }
  return kinds;
}
