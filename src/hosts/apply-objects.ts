import { flagAt, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { parseApiVersion } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import type { VirtualClusterClient } from './virtual-cluster-client.ts';

/** Thrown if objects of a template cannot be applied. The message names the objects and the causes. */
export class ApplyError extends Error {
  override name = 'ApplyError';
}

/** The namespace on a host to which objects are applied. */
export interface HostNamespace {
  readonly name: string;
  /** The resources that may be applied, such as `configmaps` or `deployments.apps`. */
  readonly allowedResources: readonly string[];
  /**
   * API groups whose resources may not be applied, even if `allowedResources` contains the resources. Optional;
   * defaults to none.
   */
  readonly refusedGroups?: readonly string[];
}

/**
 * Applies the objects of a template. Namespaces and CustomResourceDefinitions are applied first, because other objects
 * may depend on them. If `hostNamespace` is given, all objects are applied to that namespace. Objects of cluster-scoped
 * kinds, and of resources that `hostNamespace` does not allow, then cause errors. An object with an error does not stop
 * the other objects; all such errors are reported together as one ApplyError. A server error (5xx) is thrown at once.
 */
export async function applyObjects(
  objects: readonly JsonObject[],
  virtual: VirtualClusterClient,
  hostNamespace?: HostNamespace,
): Promise<void> {
  const namespace = hostNamespace?.name;
  const endpoints = new Endpoints(virtual, hostNamespace);
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
  return `${textAt(object, 'kind')} "${namespace === '' ? '' : `${namespace}/`}${textAt(object, 'metadata', 'name')}"`;
}

/** Finds the API paths of objects with discovery. Requests the resources of each group version only once. */
class Endpoints {
  readonly #virtual: VirtualClusterClient;
  readonly #hostNamespace: HostNamespace | undefined;
  /** The resources of each group version, by kind. */
  readonly #groups = new Map<string, ReadonlyMap<string, JsonValue>>();

  constructor(virtual: VirtualClusterClient, hostNamespace: HostNamespace | undefined) {
    this.#virtual = virtual;
    this.#hostNamespace = hostNamespace;
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
    if (!isNamespaced && this.#hostNamespace !== undefined)
      throw new ApplyError(
        'the kind is cluster-scoped, but only namespaced kinds can be applied to the namespace of a virtual cluster',
      );
    const resource = `${textAt(served, 'name')}${group === '' ? '' : `.${group}`}`;
    if (this.#hostNamespace?.allowedResources.includes(resource) === false)
      throw new ApplyError(
        `templates may not apply ${resource} on a host; the setting hosts.allowedResources lists the allowed resources`,
      );
    if (this.#hostNamespace?.refusedGroups?.includes(group) === true)
      throw new ApplyError(
        `templates may not apply ${resource} on this host, because they could grant more permissions than a namespace admin has; use the access rules of the template instead`,
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
