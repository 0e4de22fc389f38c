import { flagAt, type JsonValue, listAt, textAt } from '@flotilla/json';
import { StatusError } from '../../api/status.ts';
import type { Log } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { StoredResource } from '../../registry/resource.ts';
import { peekWithoutManagedFields, type ServedObject } from '../../registry/verbs.ts';
import { systemContext } from '../system-context.ts';
import { apiServiceName, customApiService, isCustomApiService } from './api-services.ts';

export interface CustomApiServicesOptions {
  /** Returns the store of a kind of the plane. */
  storeOf(resourceKey: string): KindStore | undefined;
  readonly log: Log;
}

const definitions = 'customresourcedefinitions.apiextensions.k8s.io';
const services = 'apiservices.apiregistration.k8s.io';
const writeOptions = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Ignore' } as const;
const deleteOptions = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: {} };

type GroupVersion = Pick<ServedVersion, 'group' | 'version'>;

/** Returns the group versions that a definition serves. */
function versionsOf(served: ServedObject | undefined): GroupVersion[] {
  if (served === undefined) return [];
  const definition = peekWithoutManagedFields(served) as JsonValue;
  const group = textAt(definition, 'spec', 'group');
  return listAt(definition, 'spec', 'versions')
    .filter((version) => flagAt(version, 'served'))
    .map((version) => ({ group, version: textAt(version, 'name') }));
}

/** A version of a group, with the number of definitions that serve the version. */
interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly definitions: number;
}

/** Maintains one APIService for each version of a group that custom resource definitions serve. */
export class CustomApiServices {
  readonly #options: CustomApiServicesOptions;
  /**
   * The API services, by name. They are updated with each change of a definition, because a plane can have thousands of
   * definitions.
   */
  readonly #served = new Map<string, ServedVersion>();

  constructor(options: CustomApiServicesOptions) {
    this.#options = options;
  }

  /** The hook that creates or deletes an APIService. Maintenance calls the hook in only one process. */
  readonly reconcile: NonNullable<StoredResource['reconcile']> = async (_namespace, name, fence) => {
    const store = this.#options.storeOf(services);
    if (store === undefined) return undefined;
    const context = systemContext('', undefined, fence);
    const wanted = this.#served.get(name);
    const present = store.peek('', name);
    try {
      if (wanted !== undefined && present === undefined) {
        await store.verbs.create(context, customApiService(wanted), writeOptions);
      } else if (wanted === undefined && present !== undefined && isCustomApiService(present.object)) {
        await store.verbs.delete(context, name, deleteOptions);
      }
    } catch (error) {
      // Ignore 422, among others: the name of an APIService can be too long, because it contains the version in
      // addition to the group.
      if (!(error instanceof StatusError) || ![404, 409, 422].includes(error.code)) throw error;
    }
    return undefined;
  };

  /**
   * Observes the definitions of the plane. Checks all API services at the start, because the previous process may have
   * been interrupted. Returns a function that stops the observation.
   */
  start(): () => void {
    const { storeOf } = this.#options;
    const store = storeOf(definitions);
    if (store === undefined) return () => {};
    const readAll = () => {
      this.#served.clear();
      for (const definition of store.peekAll()) this.#count(versionsOf(definition), 1);
    };
    readAll();
    const present = new Set((storeOf(services)?.peekAll() ?? []).flatMap(customNameOf));
    const wrong = [
      ...[...this.#served.keys()].filter((name) => !present.has(name)),
      ...[...present].filter((name) => !this.#served.has(name)),
    ];
    for (const name of wrong) this.#request(name);
    return store.listen(({ before, after }) => {
      const [old, next] = [versionsOf(before), versionsOf(after)];
      this.#count(old, -1);
      this.#count(next, 1);
      const [oldNames, newNames] = [old, next].map((versions) => versions.map(apiServiceName));
      if (oldNames?.join() === newNames?.join()) return;
      for (const name of new Set([...(oldNames ?? []), ...(newNames ?? [])])) this.#request(name);
    }, readAll);
  }

  /** Adds to the number of definitions of each version. */
  #count(versions: readonly GroupVersion[], change: 1 | -1): void {
    for (const { group, version } of versions) {
      const name = apiServiceName({ group, version });
      const count = (this.#served.get(name)?.definitions ?? 0) + change;
      if (count > 0) this.#served.set(name, { group, version, definitions: count });
      else this.#served.delete(name);
    }
  }

  #request(name: string): void {
    const { storeOf, log } = this.#options;
    storeOf(services)
      ?.requestReconcile('', name)
      .catch((error: unknown) => log.warn({ error, name }, 'failed to request the update of an APIService'));
  }
}

function customNameOf(service: ServedObject): string[] {
  const object = peekWithoutManagedFields(service);
  return isCustomApiService(object) && object.metadata.name !== undefined ? [object.metadata.name] : [];
}
