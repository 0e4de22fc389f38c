import {
  compareBytes,
  equalJson,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  setMember,
  textAt,
} from '@flotilla/json';
import { formatQuantity, parseQuantity, quantityOfCount } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../api/meta.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import { forbidden, StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { AdmissionAttributes } from '../../../registry/admission-attributes.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import type { KindStores } from '../../../registry/kind-stores.ts';
import type { StoredResource } from '../../../registry/resource.ts';
import { resourceKey } from '../../../registry/rows/rows.ts';
import { systemContext } from '../../system-context.ts';
import { KeyedWorkQueue } from '../keyed-work-queue.ts';
import { objectCountNames } from './quota-names.ts';

export interface QuotaAdmissionOptions {
  kinds(): KindStores;
  quotas(): KindStore;
  /** Registers a listener that is called after kinds were added or removed. Returns a function that unregisters it. */
  onKinds(listener: () => void): () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** An object whose creation was admitted, but which is not stored yet. */
interface Reservation {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

const writing = { dryRun: false, fieldManager: 'kube-controller-manager', fieldValidation: 'Ignore' } as const;

/**
 * Enforces resource quotas when objects are created. The usage is the number of objects in the watch caches plus the
 * admitted objects that are not stored yet. As in Kubernetes, the status of the quota is updated before the create is
 * admitted. It is also updated when the number of objects changes for another reason.
 */
export class QuotaAdmission {
  readonly #options: QuotaAdmissionOptions;
  readonly #reserved = new Set<Reservation>();
  readonly #work: KeyedWorkQueue;
  /** The kinds whose objects quotas count, by resource key. `stop` unregisters the listener on the kind's store. */
  readonly #followed = new Map<string, { readonly store: KindStore; readonly stop: () => void }>();

  constructor(options: QuotaAdmissionOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#work = new KeyedWorkQueue({
      name: 'update of quota status',
      clock,
      log,
      reconcile: (key) => this.#updateStatus(key),
    });
  }

  /** Implements `PlanePart.admit`. Throws 403 if the new object would exceed a quota. */
  admit(write: AdmissionAttributes): Promise<void> | undefined {
    const { resource, context } = write;
    if (write.operation !== 'CREATE' || write.subresource !== '' || !resource.namespaced) return undefined;
    return this.#options.quotas().count(context.namespace) === 0 ? undefined : this.#reserve(write);
  }

  async #reserve(write: AdmissionAttributes): Promise<void> {
    const { resource, draft, context } = write;
    const { namespace } = context;
    const quotas = this.#quotasIn(namespace);
    const names = namesOf(resource);
    const matching = quotas.filter(
      (quota) => hasNoScopes(quota) && names.some((name) => hardOf(quota, name) !== undefined),
    );
    if (matching.length === 0) return;
    for (const quota of matching) this.#check(quota, names, write);
    if (write.dryRun) return;
    const { name = '', uid = '' } = draft.object.metadata;
    const reservation: Reservation = { resource: resourceKey(resource), namespace, name, uid };
    this.#reserved.add(reservation);
    write.onCompleted(() => {
      this.#reserved.delete(reservation);
      void this.#work.add(namespace);
    });
    await this.#work.add(namespace);
  }

  /** Updates the status of all quotas now and after each change. Returns a function that stops the updates. */
  async start(): Promise<() => void> {
    const quotas = this.#options.quotas();
    const stop = quotas.listen(({ before, after }) => {
      const { namespace = '' } = (after ?? before)?.object.metadata ?? {};
      void this.#work.add(namespace);
    });
    const stopKinds = this.#options.onKinds(() => void this.#updateAll());
    await this.#updateAll();
    return () => {
      stop();
      stopKinds();
      this.#work.stop();
      for (const followed of this.#followed.values()) followed.stop();
      this.#followed.clear();
    };
  }

  async #updateAll(): Promise<void> {
    const namespaces = this.#options
      .quotas()
      .peekAll()
      .map(({ object }) => object.metadata.namespace ?? '');
    await Promise.all([...new Set(namespaces)].map((namespace) => this.#work.add(namespace)));
  }

  #quotasIn(namespace: string): KubeObject[] {
    return this.#options
      .quotas()
      .peekAll(namespace)
      .map(({ object }) => object);
  }

  #check(quota: KubeObject, names: readonly string[], { resource, draft }: AdmissionAttributes): void {
    const { namespace = '', name: quotaName = '' } = quota.metadata;
    const used = this.#count(resourceKey(resource), namespace);
    const exceeded = names.filter((name) => {
      const hard = hardOf(quota, name);
      return hard !== undefined && quantityOfCount(used + 1).billionths > parseQuantity(hard).billionths;
    });
    if (exceeded.length === 0) return;
    const list = (amount: (name: string) => string) =>
      exceeded
        .toSorted(compareBytes)
        .map((name) => `${name}=${amount(name)}`)
        .join(',');
    const requested = list(() => '1');
    const current = list(() => formatQuantity(quantityOfCount(used)));
    const limit = list((name) => hardOf(quota, name) ?? '');
    const { name = '' } = draft.object.metadata;
    const detail = `exceeded quota: ${quotaName}, requested: ${requested}, used: ${current}, limited: ${limit}`;
    throw forbidden(groupResourceOf(resource), name, detail);
  }

  /** Returns the number of stored objects plus the admitted objects that are not stored yet. */
  #count(resource: string, namespace: string): number {
    const store = this.#options.kinds().get(resource);
    const pending = [...this.#reserved].filter(
      (one) =>
        one.resource === resource &&
        one.namespace === namespace &&
        store?.peek(namespace, one.name)?.object.metadata.uid !== one.uid,
    );
    return (store?.count(namespace) ?? 0) + pending.length;
  }

  async #updateStatus(namespace: string): Promise<void> {
    for (const quota of this.#quotasIn(namespace)) {
      const status = this.#statusOf(quota);
      if (!equalJson(status, objectAt(quota as JsonValue, 'status') ?? {})) await this.#write(quota, status);
    }
  }

  #statusOf(quota: KubeObject): JsonObject {
    const hard = objectAt(quota as JsonValue, 'spec', 'hard') ?? {};
    const used: JsonObject = {};
    for (const name of Object.keys(hard)) {
      const count = this.#usedOf(quota, name);
      // If the plane does not have the kind, the count in the status stays as it is.
      const known = textAt(quota as JsonValue, 'status', 'used', name);
      const amount = count === undefined ? known : formatQuantity(quantityOfCount(count));
      if (amount !== '') setMember(used, name, amount);
    }
    return {
      ...(Object.keys(hard).length === 0 ? {} : { hard }),
      ...(Object.keys(used).length === 0 ? {} : { used }),
    };
  }

  /** Returns the usage for a quota name, `undefined` if the plane does not have the kind that it counts. */
  #usedOf(quota: KubeObject, name: string): number | undefined {
    const resource = countedResource(name);
    if (resource === undefined) return 0;
    const store = this.#options.kinds().get(resource);
    if (store === undefined) return objectCountNames.has(name) ? 0 : undefined;
    if (!store.resource.namespaced) return undefined;
    this.#follow(resource, store);
    return hasNoScopes(quota) ? this.#count(resource, quota.metadata.namespace ?? '') : 0;
  }

  /**
   * Listens to the objects of a kind. If the kind was removed and added again, replaces the listener on the old store.
   */
  #follow(resource: string, store: KindStore): void {
    const known = this.#followed.get(resource);
    if (known?.store === store) return;
    known?.stop();
    const stop = store.listen(({ before, after }) => {
      if ((before === undefined) === (after === undefined)) return;
      const { namespace = '' } = (after ?? before)?.object.metadata ?? {};
      if (this.#options.quotas().count(namespace) > 0) void this.#work.add(namespace);
    });
    this.#followed.set(resource, { store, stop });
  }

  async #write(quota: KubeObject, status: JsonObject): Promise<void> {
    const { namespace = '', name = '' } = quota.metadata;
    try {
      await this.#options.quotas().status?.update(systemContext(namespace), name, { ...quota, status }, writing);
    } catch (error) {
      // The quota was deleted, or another write has changed it. The event of that write starts another update.
      if (!(error instanceof StatusError) || ![404, 409].includes(error.code)) throw error;
    }
  }
}

/** Returns the quota names under which objects of a kind are counted, such as `pods` and `count/pods`. */
function namesOf(resource: StoredResource): readonly string[] {
  const key = resourceKey(resource);
  return resource.group === '' && objectCountNames.has(key) ? [key, `count/${key}`] : [`count/${key}`];
}

/** Returns the resource key of the kind that a quota name counts, `undefined` if it does not count objects. */
function countedResource(name: string): string | undefined {
  if (objectCountNames.has(name)) return name;
  return name.startsWith('count/') ? name.slice('count/'.length) : undefined;
}

/** True if the quota has no scopes. A quota with scopes counts only pods or volume claims, which no plane has. */
function hasNoScopes(quota: KubeObject): boolean {
  const scoped = [
    ...listAt(quota as JsonValue, 'spec', 'scopes'),
    ...listAt(quota as JsonValue, 'spec', 'scopeSelector', 'matchExpressions'),
  ];
  return scoped.length === 0;
}

function hardOf(quota: KubeObject, name: string): string | undefined {
  return textAt(quota as JsonValue, 'spec', 'hard', name) || undefined;
}
