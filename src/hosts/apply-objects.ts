import { flagAt, isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { WorkLimitError, WorkMeter } from '@flotilla/work-meter';
import { DocumentError } from '../api/decode/document-error.ts';
import { readYaml } from '../api/decode/yaml-document.ts';
import { parseApiVersion } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import type { VirtualClusterClient } from './virtual-cluster-client.ts';

/** Thrown if objects of a template cannot be applied. The message names the objects and the causes. */
export class ApplyError extends Error {
  override name = 'ApplyError';
}

/**
 * Applies all YAML documents of a template. Namespaces and CustomResourceDefinitions are applied first, because other
 * objects may depend on them. If `namespace` is given, all objects are applied to that namespace, and cluster-scoped
 * kinds are errors. An error does not stop the other objects; all errors are reported together as one ApplyError.
 */
export async function applyObjects(text: string, virtual: VirtualClusterClient, namespace?: string): Promise<void> {
  const endpoints = new Endpoints(virtual, namespace);
  const problems: string[] = [];
  for (const document of inApplyOrder(parseDocuments(text))) {
    const object = namespace === undefined ? document : inNamespace(document, namespace);
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

/** The maximum number of values in all documents of a template. Aliases make a short document large. */
const maxValues = 1_000_000;
/** The values that a document counts for besides its own, because it takes as long to start reading a document. */
const valuesPerDocument = 25;

export function parseDocuments(text: string): readonly JsonObject[] {
  const meter = new WorkMeter('reading the objects', maxValues);
  return text.split(/^---(?:[ \t].*)?$/m).flatMap((document) => {
    if (document.trim() === '') return [];
    charge(meter, valuesPerDocument);
    const value = parseDocument(document);
    const pending = [value];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      charge(meter, 1);
      if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) pending.push(member);
    }
    return objectsOf(value);
  });
}

function charge(meter: WorkMeter, units: number): void {
  try {
    meter.charge(units);
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
    throw new ApplyError(`${error.message}; use fewer objects or aliases`);
  }
}

function parseDocument(document: string): JsonValue {
  try {
    return readYaml(document).value;
  } catch (error) {
    if (error instanceof DocumentError) throw new ApplyError(error.message);
    throw error;
  }
}

function objectsOf(value: JsonValue): readonly JsonObject[] {
  if (value === null) return [];
  if (!isJsonObject(value))
    throw new ApplyError('each YAML document must be a Kubernetes object, but one of them is a list or a scalar');
  if (textAt(value, 'kind') !== 'List') return [value];
  return listAt(value, 'items').flatMap(objectsOf);
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
