import { flagAt, type JsonValue, listAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
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

/** Returns the group versions that a definition serves. */
function servedBy(definition: KubeObject): { group: string; version: string }[] {
  const group = textAt(definition as JsonValue, 'spec', 'group');
  return listAt(definition as JsonValue, 'spec', 'versions')
    .filter((version) => flagAt(version, 'served'))
    .map((version) => ({ group, version: textAt(version, 'name') }));
}

/** Maintains one APIService for each version of a group that custom resource definitions serve. */
export class CustomApiServices {
  readonly #options: CustomApiServicesOptions;

  constructor(options: CustomApiServicesOptions) {
    this.#options = options;
  }

  /** The hook that creates or deletes an APIService. Maintenance calls it in one process only. */
  readonly reconcile: NonNullable<StoredResource['reconcile']> = async (_namespace, name, fence) => {
    const store = this.#options.storeOf(services);
    if (store === undefined) return undefined;
    const context = systemContext('', undefined, fence);
    const wanted = this.#served().get(name);
    const present = store.peek('', name);
    try {
      if (wanted !== undefined && present === undefined) {
        await store.verbs.create(context, customApiService(wanted), writeOptions);
      } else if (wanted === undefined && present !== undefined && isCustomApiService(present.object)) {
        await store.verbs.delete(context, name, deleteOptions);
      }
    } catch (error) {
      if (!(error instanceof StatusError) || ![404, 409].includes(error.code)) throw error;
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
    const served = this.#served();
    const present = new Set((storeOf(services)?.peekAll() ?? []).flatMap(customNameOf));
    const wrong = [
      ...[...served.keys()].filter((name) => !present.has(name)),
      ...[...present].filter((name) => !served.has(name)),
    ];
    for (const name of wrong) this.#request(name);
    return store.listen(({ before, after }) => {
      const [old, next] = [before, after].map((one) => (one === undefined ? [] : namesOf(one)));
      const isSame = old?.join() === next?.join();
      if (!isSame) for (const name of new Set([...(old ?? []), ...(next ?? [])])) this.#request(name);
    });
  }

  #served(): Map<string, { group: string; version: string }> {
    const all = this.#options.storeOf(definitions)?.peekAll() ?? [];
    const versions = all.flatMap((definition) => servedBy(peekWithoutManagedFields(definition)));
    return new Map(versions.map((version) => [apiServiceName(version), version]));
  }

  #request(name: string): void {
    const { storeOf, log } = this.#options;
    storeOf(services)
      ?.requestReconcile('', name)
      .catch((error: unknown) => log.warn({ error, name }, 'failed to request the update of an APIService'));
  }
}

function namesOf(definition: ServedObject): string[] {
  return servedBy(peekWithoutManagedFields(definition)).map(apiServiceName);
}

function customNameOf(service: ServedObject): string[] {
  const object = peekWithoutManagedFields(service);
  return isCustomApiService(object) && object.metadata.name !== undefined ? [object.metadata.name] : [];
}
