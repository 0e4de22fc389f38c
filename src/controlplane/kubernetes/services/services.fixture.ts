import type { JsonObject } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { StatusError } from '../../../api/status.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { decodeDocument } from '../../../registry/write/decode.ts';
import type { Store } from '../../../store/store.ts';
import {
  openPlaneTestEnv,
  type PlaneTestEnv,
  testClientContext,
  testDeleteOptions,
  testWriteOptions,
} from '../../plane.fixture.ts';
import { kubernetesKindsPart } from '../kubernetes-kinds-part.ts';

/** A plane with the full set of kinds, for tests of its services. */
export class ServicesTestEnv {
  readonly plane: PlaneTestEnv;

  private constructor(plane: PlaneTestEnv) {
    this.plane = plane;
  }

  /** Opens the plane over a new store, or over one that other planes may share. */
  static async open(store?: Store): Promise<ServicesTestEnv> {
    const opened = await openPlaneTestEnv({
      parts: (dependencies) => [kubernetesKindsPart(dependencies)],
      withoutMaintenance: true,
      ...(store === undefined ? {} : { store }),
    });
    return new ServicesTestEnv(opened);
  }

  get services(): KindStore {
    return this.plane.kind('services');
  }

  get addresses(): KindStore {
    return this.plane.kind('ipaddresses.networking.k8s.io');
  }

  decoded(name: string, spec: JsonObject, metadata: JsonObject = {}): KubeObject {
    const document = { apiVersion: 'v1', kind: 'Service', metadata: { name, ...metadata }, spec };
    return decodeDocument(this.services.resource, document, { findings: [], namespace: 'default' }).object;
  }

  async create(name: string, spec: JsonObject, options: { dryRun?: boolean } = {}): Promise<KubeObject> {
    const context = testClientContext('default');
    const { verbs } = this.services;
    return (await verbs.create(context, this.decoded(name, spec), { ...testWriteOptions, ...options })).object;
  }

  /** Replaces the spec of a service. */
  async update(name: string, spec: JsonObject): Promise<KubeObject> {
    const context = testClientContext('default');
    return (await this.services.verbs.update(context, name, this.decoded(name, spec), testWriteOptions)).object;
  }

  async remove(name: string): Promise<void> {
    await this.services.verbs.delete(testClientContext('default'), name, testDeleteOptions());
  }

  /** Returns the names of all IPAddress objects. */
  addressNames(): string[] {
    return this.addresses.peekAll().map(({ object }) => object.metadata.name ?? '');
  }
}

export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StatusError)) throw new Error('the request was not refused', { cause: error });
  return error.message;
}
