import { flagAt, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { parseApiVersion } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import type { VirtualClusterClient } from './virtual-cluster-client.ts';

/** Thrown if objects of a template cannot be applied. The message names the objects and the causes. */
export class ApplyError extends Error {
  override name = 'ApplyError';
}

/**
 * Applies the objects of a template. Namespaces and CustomResourceDefinitions are applied first, because other
 * objects may depend on them. If `namespace` is given, all objects are applied to that namespace, and cluster-scoped
 * kinds are errors. An error does not stop the other objects; all errors are reported together as one ApplyError.
 */
export async function applyObjects(
  objects: readonly JsonObject[],
  virtual: VirtualClusterClient,
  namespace?: string,
): Promise<void> {
  const endpoints = new Endpoints(virtual, namespace);
  const problems: string[] = [];
  for (const each of inApplyOrder(objects)) {
    const object = namespace === undefined ? each : inNamespace(each, namespace);
    try {
      await virtual.apply(await endpoints.pathOf(object), object);
    } catch (error) {
      if (!(error instanceof StatusError) && !(error instanceof ApplyError)) throw error;
      if (error instanceof StatusError && error.code >= 500) throw error;
      problems.push(`${nameOf(object)}: ${error.message}`);
    }
  }
  if (problems.length === 0) return;
  throw new ApplyError(`${problems.slice(0, 3).join('; ')}${problems.length > 3 ? '; …' : ''}`);
}

const appliedFirst = ['Namespace', 'CustomResourceDefinition'];

function inApplyOrder(objects: readonly JsonObject[]): readonly JsonObject[] {
  const first = appliedFirst.flatMap((kind) => objects.filter((object) => textAt(object, 'kind') === kind));
  return [...first, ...objects.filter((object) => !appliedFirst.includes(textAt(object, 'kind')))];
}

function inNamespace(object: JsonObject, namespace: string): JsonObject {
  return { ...object, metadata: { ...objectAt(object, 'metadata'), namespace } };
}

function nameOf(object: JsonObject): string {
  const namespace = textAt(object, 'metadata', 'namespace');
  return `${textAt(object, 'kind')} ${namespace === '' ? '' : `${namespace}/`}${textAt(object, 'metadata', 'name')}`;
}

/** Finds the API paths of objects with discovery. Requests the resources of each group version only once. */
class Endpoints {
  readonly #virtual: VirtualClusterClient;
  readonly #namespace: string | undefined;
  /** The resources of each group version, by kind. */
  readonly #groups = new Map<string, ReadonlyMap<string, JsonValue>>();

  constructor(virtual: VirtualClusterClient, namespace: string | undefined) {
    this.#virtual = virtual;
    this.#namespace = namespace;
  }

  async pathOf(object: JsonObject): Promise<string> {
    const apiVersion = textAt(object, 'apiVersion');
    const kind = textAt(object, 'kind');
    const name = textAt(object, 'metadata', 'name');
    if (apiVersion === '' || kind === '' || name === '')
      throw new ApplyError('apiVersion, kind and metadata.name are required');
    const { group } = parseApiVersion(apiVersion);
    const root = `/${group === '' ? 'api' : 'apis'}/${apiVersion}`;
    const served = (await this.#resourcesAt(root)).get(kind);
    if (served === undefined) throw new ApplyError(`no matches for kind "${kind}" in version "${apiVersion}"`);
    const namespace = textAt(object, 'metadata', 'namespace') || 'default';
    const isNamespaced = flagAt(served, 'namespaced');
    if (!isNamespaced && this.#namespace !== undefined)
      throw new ApplyError(
        'the kind is cluster-scoped, but only namespaced kinds can be applied to the namespace of a virtual cluster',
      );
    const below = isNamespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    return `${root}${below}/${textAt(served, 'name')}/${encodeURIComponent(name)}`;
  }

  async #resourcesAt(root: string): Promise<ReadonlyMap<string, JsonValue>> {
    const cached = this.#groups.get(root);
    if (cached !== undefined) return cached;
    const resources = await this.#virtual.get(root).then(
      (document) => listAt(document, 'resources'),
      (error: unknown) => {
        if (error instanceof StatusError && error.code === 404) return [];
        throw error;
      },
    );
    const byKind = new Map<string, JsonValue>();
    for (const resource of resources) {
      const kind = textAt(resource, 'kind');
      if (!byKind.has(kind) && !textAt(resource, 'name').includes('/')) byKind.set(kind, resource);
    }
    this.#groups.set(root, byKind);
    return byKind;
  }
}
