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
import { resourceQuotaKind } from '../../../api/core/resource-quota.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import { forbidden, StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { KeyedSerializer } from '../../../lib/queue/keyed-serializer.ts';
import { yieldToEventLoop } from '../../../lib/work-budget.ts';
import type { AdmissionAttributes } from '../../../registry/admission-attributes.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import type { KindStores } from '../../../registry/kind-stores.ts';
import type { StoredResource } from '../../../registry/resource.ts';
import { type ObjectRef, resourceKey } from '../../../registry/rows/rows.ts';
import type { RevisionCheck } from '../../../store/store.ts';
import { systemContext } from '../../system-context.ts';
import { KeyedWorkQueue } from '../keyed-work-queue.ts';
import { refuseBeyondQuotaLimits } from './quota-limits.ts';
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

/** The number of namespaces whose quotas are updated in one tick of the event loop, if the kinds of the plane change. */
const namespacesPerTick = 20;
/** The time after which maintenance repeats an update that has conflicted with another write. */
const conflictRetryMs = 10;

/**
 * Enforces resource quotas when objects are created. The usage is the number of objects in the watch caches plus the
 * admitted objects that are not stored yet. As in Kubernetes, the status of the quota is updated before the create is
 * admitted. It is also updated when the number of objects changes for another reason.
 *
 * In a shared store, other processes admit objects too. There, creates in a namespace with a quota take a guard, and run
 * one after another in this process, because concurrent ones would conflict. The status is updated only afterwards, from
 * the stored objects, by the process that maintains the plane (`hooks`). Each create and each removal records this work
 * (`requeuedByCount`). A process that finds a wrong status when it loads the plane, or when kinds were added, requests the
 * work.
 */
export class QuotaAdmission {
  readonly #options: QuotaAdmissionOptions;
  readonly #reserved = new Set<Reservation>();
  /** The creates in a shared store, by namespace. */
  readonly #guardedCreates = new KeyedSerializer();
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
      reconcile: async (key) => {
        await this.#updateStatus(key);
      },
    });
  }

  /** Hooks of the kind ResourceQuota for a shared store: a write with a wrong status records maintenance work. */
  hooks(): Pick<StoredResource, 'requeues' | 'reconcile'> {
    return {
      requeues: (_old, next) => {
        if (next === undefined || hasStatus(next.object, this.#statusOf(next.object))) return [];
        const { namespace = '', name = '' } = next.object.metadata;
        return [{ resource: resourceKey(resourceQuotaKind), namespace, name }];
      },
      reconcile: async (namespace, _name, fence) =>
        (await this.#updateStatus(namespace, fence)) ? undefined : conflictRetryMs,
    };
  }

  /** Implements `PlanePart.requeuedByCount`: one quota of the namespace that counts the kind. Its task updates all of them. */
  requeuedByCount(resource: StoredResource, namespace: string): readonly ObjectRef[] {
    if (this.#options.quotas().count(namespace) === 0) return [];
    const [quota] = this.#matchingQuotas(resource, namespace);
    if (quota === undefined) return [];
    return [{ resource: resourceKey(resourceQuotaKind), namespace, name: quota.metadata.name ?? '' }];
  }

  /** Implements `PlanePart.admit`. Throws 403 if the new object would exceed a quota, or the limits of quotas. */
  admit(write: AdmissionAttributes): Promise<void> | undefined {
    const { resource, context } = write;
    if (resource.plural === resourceQuotaKind.plural && resource.group === '') this.#checkLimits(write);
    if (write.operation !== 'CREATE' || write.subresource !== '' || !resource.namespaced) return undefined;
    return this.#options.quotas().count(context.namespace) === 0 ? undefined : this.#reserve(write);
  }

  #checkLimits({ operation, subresource, draft, context }: AdmissionAttributes): void {
    if (operation === 'DELETE' || subresource !== '') return;
    const { object, old } = draft;
    const others = this.#quotasIn(context.namespace).filter(({ metadata }) => metadata.name !== object.metadata.name);
    refuseBeyondQuotaLimits(object, old?.object, others);
  }

  async #reserve(write: AdmissionAttributes): Promise<void> {
    const { resource, draft, context } = write;
    const { namespace } = context;
    let matching = this.#matchingQuotas(resource, namespace);
    if (matching.length === 0) return;
    const isGuarded = this.#options.quotas().isShared && !write.dryRun;
    if (isGuarded) {
      await this.#takeGuard(write);
      // Changes by other processes may have arrived meanwhile.
      matching = this.#matchingQuotas(resource, namespace);
    }
    for (const quota of matching) this.#check(quota, namesOf(resource), write);
    if (write.dryRun || isGuarded) return;
    const { name = '', uid = '' } = draft.object.metadata;
    const reservation: Reservation = { resource: resourceKey(resource), namespace, name, uid };
    this.#reserved.add(reservation);
    write.onCompleted(() => {
      this.#reserved.delete(reservation);
      void this.#work.add(namespace);
    });
    await this.#work.add(namespace);
  }

  /** Waits for earlier creates in the namespace, and takes the guard of its quotas until the write has ended. */
  async #takeGuard(write: AdmissionAttributes): Promise<void> {
    const { namespace } = write.context;
    await new Promise<void>((started) => {
      const ended = new Promise<void>((end) => write.onCompleted(end));
      void this.#guardedCreates.run(namespace, () => {
        started();
        return ended;
      });
    });
    write.addGuard(await this.#options.quotas().takeGuard('resourcequotas', namespace));
  }

  /** Updates the status of all quotas now and after each change. Returns a function that stops the updates. */
  async start(): Promise<() => void> {
    const quotas = this.#options.quotas();
    if (quotas.isShared) {
      await this.#requestUpdates();
      return this.#options.onKinds(() => void this.#requestUpdates());
    }
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

  /** Requests the update of all quotas whose status is wrong. Never rejects. */
  async #requestUpdates(): Promise<void> {
    const quotas = this.#options.quotas();
    for (const { object } of quotas.peekAll()) {
      if (hasStatus(object, this.#statusOf(object))) continue;
      const { namespace = '', name = '' } = object.metadata;
      try {
        await quotas.requestReconcile(namespace, name);
      } catch (error) {
        this.#options.log.warn({ error, namespace, name }, 'failed to request the update of a quota status');
      }
    }
  }

  async #updateAll(): Promise<void> {
    const namespaces = this.#options
      .quotas()
      .peekAll()
      .map(({ object }) => object.metadata.namespace ?? '');
    const rest = [...new Set(namespaces)];
    // Computing a status never waits, so without yielding thousands of namespaces would delay other requests.
    while (rest.length > 0) {
      await Promise.all(rest.splice(0, namespacesPerTick).map((namespace) => this.#work.add(namespace)));
      await yieldToEventLoop();
    }
  }

  #quotasIn(namespace: string): KubeObject[] {
    return this.#options
      .quotas()
      .peekAll(namespace)
      .map(({ object }) => object);
  }

  /** Returns the quotas in a namespace that limit the number of objects of a kind. */
  #matchingQuotas(resource: StoredResource, namespace: string): KubeObject[] {
    const names = namesOf(resource);
    return this.#quotasIn(namespace).filter(
      (quota) => hasNoScopes(quota) && names.some((name) => hardOf(quota, name) !== undefined),
    );
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

  /** Updates the status of all quotas in a namespace. Returns false if a conflicting write has changed one of them. */
  async #updateStatus(namespace: string, fence?: RevisionCheck): Promise<boolean> {
    let isComplete = true;
    for (const quota of this.#quotasIn(namespace)) {
      const status = this.#statusOf(quota);
      if (hasStatus(quota, status)) continue;
      isComplete = (await this.#write(quota, status, fence)) && isComplete;
    }
    return isComplete;
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
    if (!store.isShared) this.#follow(resource, store);
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

  /** Returns false if another write has changed the quota. In a store that is not shared, its event starts another update. */
  async #write(quota: KubeObject, status: JsonObject, fence: RevisionCheck | undefined): Promise<boolean> {
    const { namespace = '', name = '' } = quota.metadata;
    const context = systemContext(namespace, undefined, fence);
    try {
      await this.#options.quotas().status?.update(context, name, { ...quota, status }, writing);
      return true;
    } catch (error) {
      if (!(error instanceof StatusError) || ![404, 409].includes(error.code)) throw error;
      return error.code === 404;
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

/** True if the quota has no scopes. A quota with scopes counts pods, which no plane has, or some of the volume claims. */
function hasNoScopes(quota: KubeObject): boolean {
  const scoped = [
    ...listAt(quota as JsonValue, 'spec', 'scopes'),
    ...listAt(quota as JsonValue, 'spec', 'scopeSelector', 'matchExpressions'),
  ];
  return scoped.length === 0;
}

function hasStatus(quota: KubeObject, status: JsonObject): boolean {
  return equalJson(status, objectAt(quota as JsonValue, 'status') ?? {});
}

function hardOf(quota: KubeObject, name: string): string | undefined {
  return textAt(quota as JsonValue, 'spec', 'hard', name) || undefined;
}
