import type { JsonObject, JsonValue } from '@flotilla/json';
import { afterEach } from 'vitest';
import { type Definition, definitionOf } from '../../api/apiextensions/definition.ts';
import type { KubeObject } from '../../api/meta.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { decodeDocument } from '../../registry/write/decode.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store.fixture.ts';
import type { ControlPlane } from '../control-plane.ts';
import { namespacesPart } from '../core/namespaces/namespaces-part.ts';
import { openKubernetesPlane } from '../kubernetes-plane.ts';
import { type Maintenance, startMaintenance } from '../maintenance/maintenance.ts';
import { tasksInPlanes } from '../maintenance/maintenance-task.ts';
import { testClientContext, testDeleteOptions, testWriteOptions } from '../plane.fixture.ts';
import { customResourcesPart } from './custom-resources-part.ts';
import { definitionsResourceKey } from './definitions-resource.ts';

const group = 'sea.example';

/** Returns a CustomResourceDefinition for ships with one version. `spec` is the schema of a ship's `spec`. */
export function shipDefinition(spec: JsonObject = {}, change: JsonObject = {}, plural = 'ships'): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind: plural.charAt(0).toUpperCase() + plural.slice(1, -1) },
      versions: [shipVersion('v1', spec, { storage: true })],
      ...change,
    },
  };
}

export function shipVersion(name: string, spec: JsonObject = {}, change: JsonObject = {}): JsonObject {
  const properties = {
    spec: { type: 'object', ...spec },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  return { name, served: true, storage: false, schema: { openAPIV3Schema: { type: 'object', properties } }, ...change };
}

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export interface CustomTestEnvOptions {
  readonly store?: Store;
  readonly clock?: ManualClock;
  /** True to start no maintenance, as if the process had ended before maintenance ran. */
  readonly withoutMaintenance?: boolean;
  /** True to start the plane without the custom resources part, so nothing reacts to a written definition. */
  readonly isIdle?: boolean;
}

/** A test environment: a plane with namespaces and CustomResourceDefinitions, over an in-memory store. */
export class CustomTestEnv {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly plane: ControlPlane;
  readonly maintenance: Maintenance;
  readonly warnings: string[] = [];

  private constructor(store: Store, clock: ManualClock, plane: ControlPlane, maintenance: Maintenance) {
    this.store = store;
    this.clock = clock;
    this.plane = plane;
    this.maintenance = maintenance;
  }

  static async open(options: CustomTestEnvOptions = {}): Promise<CustomTestEnv> {
    const clock = options.clock ?? new ManualClock();
    const store = options.store ?? openTestStore({ clock });
    let wake = (): void => {};
    const plane = await openKubernetesPlane({
      id: 'plane',
      store,
      clock,
      log: silentLog,
      compose(dependencies) {
        const { start, ...part } = customResourcesPart(dependencies);
        const custom = options.isIdle === true || start === undefined ? part : { ...part, start };
        return {
          parts: [namespacesPart(dependencies), custom],
          authorize: () => ({ allowed: true, reason: 'test' }),
        };
      },
      onMaintenanceWork: () => wake(),
    });
    const maintenance = startMaintenance({
      store,
      clock,
      log: silentLog,
      runTask: tasksInPlanes(store, async () => plane),
    });
    if (options.withoutMaintenance === true) await maintenance.stop();
    else wake = () => maintenance.wake();
    maintenance.wake();
    cleanups.push(async () => {
      await maintenance.stop();
      plane.close();
    });
    return new CustomTestEnv(store, clock, plane, maintenance);
  }

  /** Closes the plane and opens it again over the same store, as after a restart of the process. */
  async reopen(): Promise<CustomTestEnv> {
    await this.maintenance.stop();
    this.plane.close();
    return CustomTestEnv.open({ store: this.store, clock: this.clock });
  }

  /** Resolves when the CustomResourceDefinition has been deleted. */
  untilGone(name = `ships.${group}`): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.definitions.listen(({ before, after }) => {
        if (after !== undefined || before?.object.metadata.name !== name) return;
        stop();
        resolve();
      });
    });
  }

  get definitions(): KindStore {
    const store = this.plane.kinds.get(definitionsResourceKey);
    if (store === undefined) throw new Error('the plane was opened without the kind CustomResourceDefinition');
    return store;
  }

  definition(name = `ships.${group}`): Definition | undefined {
    const object = this.definitions.peek('', name)?.object;
    return object && definitionOf(object);
  }

  /** Returns the conditions of a CustomResourceDefinition as text, for example `NamesAccepted=True NoConflicts`. */
  conditions(name = `ships.${group}`): string[] {
    const found = this.definition(name)?.status.conditions ?? [];
    return found.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  }

  async define(definition: JsonObject): Promise<KubeObject> {
    return this.create('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', definition, '');
  }

  async redefine(name: string, change: (spec: JsonObject) => void): Promise<KubeObject> {
    const object = JSON.parse(JSON.stringify(this.definitions.peek('', name)?.object)) as KubeObject;
    change(object.spec as JsonObject);
    const mounted = this.mounted('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    const { object: shaped } = decodeDocument(mounted.kind, object as JsonValue, { findings: [], namespace: '' });
    const written = await mounted.verbs.update?.(this.#client(''), name, shaped, testWriteOptions);
    if (written === undefined) throw new Error('the kind CustomResourceDefinition has no verb update');
    return written.object;
  }

  async undefine(name = `ships.${group}`): Promise<void> {
    await this.definitions.verbs.delete(this.#client(''), name, testDeleteOptions());
    await this.maintenance.idle();
  }

  mounted(of: string, version: string, plural: string): MountedResource {
    const found = this.plane.find(of, version, plural);
    if (found === undefined) throw new Error(`${plural} of ${of}/${version} are not served`);
    return found;
  }

  ships(version = 'v1'): MountedResource {
    return this.mounted(group, version, 'ships');
  }

  async create(of: string, version: string, plural: string, body: JsonObject, namespace: string): Promise<KubeObject> {
    const { kind, verbs } = this.mounted(of, version, plural);
    const { object } = decodeDocument(kind, body, { findings: [], namespace });
    const served = await verbs.create?.(this.#client(namespace), object, testWriteOptions);
    if (served === undefined) throw new Error(`${plural} cannot be created`);
    return served.object;
  }

  async ship(name: string, spec: JsonValue = {}, version = 'v1', metadata: JsonObject = {}): Promise<KubeObject> {
    return this.create(group, version, 'ships', { metadata: { name, ...metadata }, spec }, 'default');
  }

  async patchShip(name: string, document: JsonValue, version = 'v1'): Promise<KubeObject> {
    const patch = { type: 'merge', document, findings: [] } as const;
    const written = await this.ships(version).verbs.patch?.(this.#client('default'), name, patch, {
      ...testWriteOptions,
      force: false,
    });
    if (written === undefined) throw new Error('the kind Ship has no verb patch');
    return written.object;
  }

  async getShip(name: string, version = 'v1'): Promise<KubeObject> {
    const served = await this.ships(version).verbs.get?.(this.#client('default'), name, { resourceVersion: '' });
    if (served === undefined) throw new Error('the kind Ship has no verb get');
    // Parse the JSON that clients receive, so that tests compare the JSON instead of the object.
    return JSON.parse(served.json());
  }

  async deleteShip(name: string): Promise<void> {
    await this.ships().verbs.delete?.(this.#client('default'), name, testDeleteOptions());
  }

  /** Returns the number of stored rows of a resource. */
  async rows(resource = `ships.${group}`): Promise<number> {
    const { entries } = await this.store.list({ slice: 'plane', prefix: ['objects', resource] });
    return entries.length;
  }

  #client(namespace: string) {
    return { ...testClientContext(namespace), warn: (text: string) => void this.warnings.push(text) };
  }
}
