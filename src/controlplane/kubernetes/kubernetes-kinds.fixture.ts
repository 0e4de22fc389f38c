import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { tableRow } from '../../api/table.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { decodeDocument } from '../../registry/write/decode.ts';
import { openPlaneTestEnv, testClientContext, testDeleteOptions, testWriteOptions } from '../plane.fixture.ts';
import { kubernetesKindsPart } from './kubernetes-kinds-part.ts';

/** The kinds of the full set in a plane. Requests are decoded as the server decodes them. */
export class Kinds {
  readonly warnings: string[] = [];
  readonly #stores: (key: string) => KindStore;

  constructor(stores: (key: string) => KindStore) {
    this.#stores = stores;
  }

  static async open(): Promise<Kinds> {
    const opened = await openPlaneTestEnv({ parts: (dependencies) => [kubernetesKindsPart(dependencies)] });
    return new Kinds((key) => opened.kind(key));
  }

  context(): RequestContext {
    return { ...testClientContext('default'), warn: (text) => void this.warnings.push(text) };
  }

  decoded(key: string, members: JsonObject): KubeObject {
    const { resource } = this.#stores(key);
    const document = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...members };
    return decodeDocument(resource, document, { findings: [], namespace: resource.namespaced ? 'default' : '' }).object;
  }

  async create(key: string, name: string, members: JsonObject = {}): Promise<KubeObject> {
    const { verbs } = this.#stores(key);
    const object = this.decoded(key, { metadata: { name }, ...members });
    return (await verbs.create(this.context(), object, testWriteOptions)).object;
  }

  async update(key: string, object: KubeObject, change: JsonObject): Promise<KubeObject> {
    const next = this.decoded(key, { ...(object as JsonObject), ...change });
    const { verbs } = this.#stores(key);
    return (await verbs.update(this.context(), object.metadata.name ?? '', next, testWriteOptions)).object;
  }

  async remove(key: string, name: string): Promise<unknown> {
    return await this.#stores(key).verbs.delete(this.context(), name, testDeleteOptions());
  }

  async updateStatus(key: string, object: KubeObject, change: JsonObject): Promise<KubeObject> {
    const { status } = this.#stores(key);
    if (status === undefined) throw new Error(`${key} has no status`);
    const next = this.decoded(key, { ...(object as JsonObject), ...change });
    return (await status.update(this.context(), object.metadata.name ?? '', next, testWriteOptions)).object;
  }

  store(key: string): KindStore {
    return this.#stores(key);
  }

  cells(key: string, object: KubeObject): unknown[] {
    return tableRow(this.#stores(key).resource, object, Date.parse(object.metadata.creationTimestamp ?? ''));
  }
}

/** Returns the message of the error of a refused request. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof StatusError)) throw new Error('the request was not refused', { cause: error });
  return error.message;
}
