import type { JsonObject } from '@flotilla/json';
import { afterEach } from 'vitest';
import type { KubeObject } from '../api/meta.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { RequestContext } from '../registry/context.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { defineResource, type StoredResource } from '../registry/resource.ts';
import { mountStoredKind } from '../registry/verbs/stored-verbs.ts';
import type { DeleteOptions } from '../registry/verbs.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store.fixture.ts';
import type { ControlPlane } from './control-plane.ts';
import { namespacesPart } from './core/namespaces/namespaces-part.ts';
import { openKubernetesPlane } from './kubernetes-plane.ts';
import { type Maintenance, startMaintenance } from './maintenance/maintenance.ts';
import { tasksInPlanes } from './maintenance/maintenance-task.ts';
import type { AddedKind } from './plane-kinds.ts';
import type { PartDependencies, PlanePart } from './plane-part.ts';

/** Returns a test kind whose objects can have any `spec`. */
export function testKind(plural: string, kind: string, change: Partial<StoredResource> = {}): StoredResource {
  return defineResource({
    group: 'test.example',
    version: 'v1',
    kind,
    plural,
    singular: kind.toLowerCase(),
    namespaced: true,
    schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
    hasStatus: false,
    ...change,
  });
}

/** Converts a stored resource to a kind that a test can add to a plane at run time. */
export function addableTestKind(resource: StoredResource): AddedKind {
  return { resource, mount: (store) => [mountStoredKind(store)] };
}

export const testWriteOptions = { dryRun: false, fieldManager: 'test', fieldValidation: 'Strict' } as const;

export function testDeleteOptions(change: Partial<DeleteOptions> = {}): DeleteOptions {
  return { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: {}, ...change };
}

/** Returns the request context of a client with all permissions. Writes of this client are subject to admission. */
export function testClientContext(namespace = ''): RequestContext {
  return {
    user: { name: 'jane', groups: [] },
    system: false,
    namespace,
    signal: new AbortController().signal,
    warn() {},
    may: () => true,
  };
}

export interface PlaneTestEnv {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly plane: ControlPlane;
  readonly maintenance: Maintenance;
  kind(key: string): KindStore;
  /** Creates an object as a client. `key` is the resource key of its kind. */
  create(key: string, name: string, rest?: JsonObject, namespace?: string): Promise<KubeObject>;
  /** Deletes an object as a client, and waits until there is no more maintenance work. */
  remove(key: string, name: string, namespace?: string, change?: Partial<DeleteOptions>): Promise<void>;
  peek(key: string, name: string, namespace?: string): KubeObject | undefined;
}

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export interface PlaneTestEnvOptions {
  /** The parts of the plane, or a function that makes them. */
  readonly parts?: readonly PlanePart[] | ((dependencies: PartDependencies) => readonly PlanePart[]);
  readonly store?: Store;
  readonly clock?: ManualClock;
  readonly id?: string;
  /** Does not start maintenance, as if the process had ended before maintenance ran. */
  readonly withoutMaintenance?: boolean;
}

/** Opens a plane with namespaces, the given parts and maintenance, over an in-memory store. */
export async function openPlaneTestEnv(options: PlaneTestEnvOptions = {}): Promise<PlaneTestEnv> {
  const { id = 'test', parts = [] } = options;
  const clock = options.clock ?? new ManualClock();
  const store = options.store ?? openTestStore({ clock });
  let wake = (): void => {};
  const plane = await openKubernetesPlane({
    id,
    store,
    clock,
    log: silentLog,
    compose: (dependencies) => ({
      parts: [namespacesPart(dependencies), ...(typeof parts === 'function' ? parts(dependencies) : parts)],
      authorize: () => ({ allowed: true, reason: 'test' }),
    }),
    onMaintenanceWork: () => wake(),
  });
  const maintenance = startMaintenance({
    store,
    clock,
    log: silentLog,
    runTask: tasksInPlanes(store, async (requestedId) => (requestedId === id ? plane : undefined)),
  });
  if (options.withoutMaintenance === true) await maintenance.stop();
  else wake = () => maintenance.wake();
  maintenance.wake();
  cleanups.push(async () => {
    await maintenance.stop();
    plane.close();
  });
  const kind = (key: string): KindStore => {
    const found = plane.kinds.get(key);
    if (found === undefined) throw new Error(`the plane was opened without the kind ${key}`);
    return found;
  };
  const namespaceOf = (key: string, namespace: string) => (kind(key).resource.namespaced ? namespace : '');
  return {
    store,
    clock,
    plane,
    maintenance: maintenance,
    kind,
    async create(key, name, rest = {}, namespace = 'default') {
      const { resource, verbs } = kind(key);
      const { metadata, ...others } = rest;
      const object = {
        apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
        kind: resource.kind,
        metadata: { ...(metadata as JsonObject | undefined), name },
        ...others,
      } as KubeObject;
      return (await verbs.create(testClientContext(namespaceOf(key, namespace)), object, testWriteOptions)).object;
    },
    async remove(key, name, namespace = 'default', change = {}) {
      await kind(key).verbs.delete(testClientContext(namespaceOf(key, namespace)), name, testDeleteOptions(change));
      await maintenance.idle();
    },
    peek: (key, name, namespace = 'default') => kind(key).peek(namespaceOf(key, namespace), name)?.object,
  };
}
