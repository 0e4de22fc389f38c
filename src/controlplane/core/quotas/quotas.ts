import { compareBytes, type JsonObject, type JsonValue, setMember, textAt } from '@flotilla/json';
import { formatQuantity, parseQuantity, type Quantity, quantityOfCount } from '@flotilla/kubernetes-formats';
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
import type { StoredRecord, StoredResource } from '../../../registry/resource.ts';
import { type ObjectRef, resourceKey } from '../../../registry/rows/rows.ts';
import type { RevisionCheck } from '../../../store/store.ts';
import { systemContext } from '../../system-context.ts';
import { KeyedWorkQueue } from '../keyed-work-queue.ts';
import type { Usage } from './measured-kind.ts';
import { measuredKind } from './measured-kinds.ts';
import { refuseMissingAmounts } from './missing-amounts.ts';
import { refuseBeyondQuotaLimits } from './quota-limits.ts';
import { scopeSelectorOf } from './quota-scopes.ts';
import {
  addedWithin,
  changesUsage,
  hardAmounts,
  hardOf,
  hasStatus,
  limitedResource,
  limits,
  type MeasuredObject,
  measure,
} from './quota-usage.ts';
import { UsageLedger } from './usage-ledger.ts';

export interface QuotaAdmissionOptions {
  kinds(): KindStores;
  quotas(): KindStore;
  /** Registers a listener that is called after kinds were added or removed. Returns a function that unregisters it. */
  onKinds(listener: () => void): () => void;
  readonly clock: Clock;
  readonly log: Log;
}

const writing = { dryRun: false, fieldManager: 'kube-controller-manager', fieldValidation: 'Ignore' } as const;

/** The number of namespaces whose quotas are updated per tick of the event loop after a change of the plane's kinds. */
const namespacesPerTick = 20;
/** The delay after which maintenance repeats an update that conflicted with another write. */
const conflictRetryMs = 10;

/**
 * Enforces resource quotas when objects are created, and when an update increases an amount that quotas measure. The
 * usage consists of the objects in the watch caches and the admitted objects that are not stored yet. As in Kubernetes,
 * the status of the quota is updated before the write is admitted. The status is also updated when the usage changes
 * for another reason.
 * In a shared store, other processes admit objects, too. A measured write in a namespace with a quota then takes a
 * guard. This process runs such writes one after another, because concurrent writes would conflict. The process that
 * maintains the plane updates the status after the write, from the stored objects (`hooks`). Each write that changes
 * the usage records this work (`requeuedByUsage`). A process also requests the work if it finds a wrong status when it
 * loads the plane, or after kinds were added.
 */
export class QuotaAdmission {
  readonly #options: QuotaAdmissionOptions;
  readonly #ledger: UsageLedger;
  /** The writes in a shared store, by namespace. */
  readonly #guardedWrites = new KeyedSerializer();
  readonly #work: KeyedWorkQueue;
  /** The kinds whose objects quotas count, by resource key. `stop` unregisters the listener on the kind's store. */
  readonly #followed = new Map<string, { readonly store: KindStore; readonly stop: () => void }>();

  constructor(options: QuotaAdmissionOptions) {
    this.#options = options;
    this.#ledger = new UsageLedger(options.kinds);
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

  /**
   * Hooks of the kind ResourceQuota for a shared store: a write of a quota whose status is wrong records maintenance
   * work.
   */
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

  /**
   * Implements `PlanePart.requeuedByUsage`. Returns one quota of the namespace that limits the kind. The task of this
   * quota updates all quotas of the namespace.
   */
  requeuedByUsage(
    resource: StoredResource,
    namespace: string,
    old: StoredRecord | undefined,
    next: StoredRecord | undefined,
  ): readonly ObjectRef[] {
    if (this.#options.quotas().count(namespace) === 0) return [];
    if (old !== undefined && next !== undefined && !changesUsage(resource, old.object, next.object)) return [];
    const quota = this.#quotasIn(namespace).find((one) => limits(one, resource));
    if (quota === undefined) return [];
    return [{ resource: resourceKey(resourceQuotaKind), namespace, name: quota.metadata.name ?? '' }];
  }

  /**
   * Implements `PlanePart.admit`. Throws 403 if the write would exceed a quota, or the limits for quotas themselves.
   */
  admit(write: AdmissionAttributes): Promise<void> | undefined {
    const { resource, context } = write;
    if (resource.plural === resourceQuotaKind.plural && resource.group === '') this.#checkLimits(write);
    if (!resource.namespaced || this.#options.quotas().count(context.namespace) === 0 || !mayAddUsage(write)) {
      return undefined;
    }
    const measured = measure(resource, write.draft.object);
    const quotas = this.#matchingQuotas(write, measured);
    if (quotas.length === 0) return undefined;
    refuseMissingAmounts(write, quotas);
    const { old } = write.draft;
    const before = old === undefined ? undefined : measure(resource, old.object);
    const isWithin = (quota: KubeObject) => addedWithin(quota, before, measured).size > 0;
    return quotas.some(isWithin) ? this.#reserve(write, before, measured) : undefined;
  }

  #checkLimits({ operation, subresource, draft, context }: AdmissionAttributes): void {
    if (operation === 'DELETE' || subresource !== '') return;
    const { object, old } = draft;
    const others = this.#quotasIn(context.namespace).filter(({ metadata }) => metadata.name !== object.metadata.name);
    refuseBeyondQuotaLimits(object, old?.object, others);
  }

  async #reserve(
    write: AdmissionAttributes,
    before: MeasuredObject | undefined,
    measured: MeasuredObject,
  ): Promise<void> {
    const { resource, draft, context } = write;
    const { namespace } = context;
    const isGuarded = this.#options.quotas().isShared && !write.dryRun;
    if (isGuarded) await this.#takeGuard(write);
    // Find the quotas now, because changes by other processes may have arrived in the meantime.
    for (const quota of this.#matchingQuotas(write, measured)) {
      this.#check(quota, addedWithin(quota, before, measured), write);
    }
    if (write.dryRun || isGuarded) return;
    const { name = '', uid = '' } = draft.object.metadata;
    const release = this.#ledger.reserve({ resource: resourceKey(resource), namespace, name, uid, measured });
    write.onCompleted(() => {
      release();
      void this.#work.add(namespace);
    });
    await this.#work.add(namespace);
  }

  /**
   * Waits for earlier writes in the namespace. Then takes the guard of the namespace's quotas until the write has
   * ended.
   */
  async #takeGuard(write: AdmissionAttributes): Promise<void> {
    const { namespace } = write.context;
    await new Promise<void>((started) => {
      const ended = new Promise<void>((end) => write.onCompleted(end));
      void this.#guardedWrites.run(namespace, () => {
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
      const stopRequests = this.#options.onKinds(() => void this.#requestUpdates());
      return () => {
        stopRequests();
        this.#ledger.stop();
      };
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
      this.#ledger.stop();
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
    // Pause between batches. Computing a status never waits, so without pauses thousands of namespaces would delay
    // other requests.
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

  /** Returns the quotas that limit the written object. */
  #matchingQuotas({ resource, context }: AdmissionAttributes, { scopes }: MeasuredObject): KubeObject[] {
    return this.#quotasIn(context.namespace).filter(
      (quota) => scopeSelectorOf(quota).matches(scopes) && limits(quota, resource),
    );
  }

  #check(quota: KubeObject, added: Usage, { resource, draft }: AdmissionAttributes): void {
    if (added.size === 0) return;
    const { name: quotaName = '' } = quota.metadata;
    const usedOf = this.#ledger.usedWithin(quota, resourceKey(resource));
    const exceeded = [...added.keys()].toSorted(compareBytes).flatMap((name) => {
      const [hard, more] = [hardOf(quota, name), added.get(name)];
      if (hard === undefined || more === undefined) return [];
      const used = usedOf(name);
      if (used.billionths + more.billionths <= parseQuantity(hard).billionths) return [];
      return [{ name, more: formatQuantity(more), used: formatQuantity(used), hard }];
    });
    if (exceeded.length === 0) return;
    const list = (member: 'more' | 'used' | 'hard') => exceeded.map((one) => `${one.name}=${one[member]}`).join(',');
    const amounts = `requested: ${list('more')}, used: ${list('used')}, limited: ${list('hard')}`;
    const { name = '' } = draft.object.metadata;
    throw forbidden(groupResourceOf(resource), name, `exceeded quota: ${quotaName}, ${amounts}`);
  }

  /** Updates the status of all quotas in a namespace. Returns false if a conflicting write has changed a quota. */
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
    const hard = hardAmounts(quota);
    const used: JsonObject = {};
    const byResource = new Map<string, (name: string) => Quantity>();
    for (const name of Object.keys(hard)) {
      const amount = this.#usedOf(quota, name, byResource);
      // If the plane does not have the kind, keep the amount that the status already contains.
      const known = textAt(quota as JsonValue, 'status', 'used', name);
      const text = amount === undefined ? known : formatQuantity(amount);
      if (text !== '') setMember(used, name, text);
    }
    return {
      ...(Object.keys(hard).length === 0 ? {} : { hard }),
      ...(Object.keys(used).length === 0 ? {} : { used }),
    };
  }

  /**
   * Returns the usage for a quota name; `undefined` if the plane does not have the kind that the name counts.
   * `byResource` caches the usage by kind; the function adds the usage of the kind if the cache lacks it.
   */
  #usedOf(quota: KubeObject, name: string, byResource: Map<string, (name: string) => Quantity>): Quantity | undefined {
    const none = quantityOfCount(0);
    const resource = limitedResource(name);
    if (resource === undefined) return none;
    const store = this.#options.kinds().get(resource);
    if (store === undefined) return name.startsWith('count/') ? undefined : none;
    if (!store.resource.namespaced) return undefined;
    if (!store.isShared) this.#follow(resource, store);
    const usedOf = byResource.get(resource) ?? this.#ledger.usedWithin(quota, resource);
    byResource.set(resource, usedOf);
    return usedOf(name);
  }

  /** Listens to the objects of a kind. If the kind was removed and added again, moves the listener to the new store. */
  #follow(resource: string, store: KindStore): void {
    const known = this.#followed.get(resource);
    if (known?.store === store) return;
    known?.stop();
    const stop = store.listen(({ before, after }) => {
      const { namespace = '' } = (after ?? before)?.object.metadata ?? {};
      if (this.#options.quotas().count(namespace) === 0) return;
      const isChange = before !== undefined && after !== undefined;
      if (isChange && !changesUsage(store.resource, before.object, after.object)) return;
      void this.#work.add(namespace);
    });
    this.#followed.set(resource, { store, stop });
  }

  /**
   * Writes the status of a quota. Returns false if another write has changed the quota. If the store is not shared, the
   * event of that other write starts another update.
   */
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

/**
 * True if quotas can refuse the write: a create, or an update of a kind whose amounts quotas measure. As in Kubernetes,
 * quotas do not refuse status updates.
 */
function mayAddUsage(write: AdmissionAttributes): boolean {
  const { operation, subresource, resource } = write;
  if (operation === 'CREATE') return subresource === '';
  const kind = operation === 'UPDATE' ? measuredKind(resourceKey(resource)) : undefined;
  return kind !== undefined && (kind.limitsUpdate?.(write) ?? subresource === '');
}
