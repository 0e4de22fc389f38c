import type { KubeObject, OwnerReference } from '../api/meta.ts';
import { maxOwnerReferences } from '../api/validation/owner-references.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { KeyedSerializer } from '../lib/queue/keyed-serializer.ts';
import type { Key } from '../store/key.ts';
import type { RevisionCheck, Store } from '../store/store.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import type { ObjectCache } from './cache/watch-cache.ts';
import type { MutationAttributes } from './mutation-attributes.ts';
import type { StoredRecord, StoredResource } from './resource.ts';
import type { ObjectRef } from './rows/rows.ts';
import type { SelectorBudget } from './watch/selector-budget.ts';
import type { SubscriberGroups } from './watch/subscriber-groups.ts';
import type { MaintenanceWork } from './write/maintenance-work.ts';
import type { OwnerTracker } from './write/owner-tracker.ts';

/** The functions of the control plane that a kind calls. */
export interface PlaneCallbacks {
  /** Returns the state of a namespace. Called before an object is created in it (rules CREATE-19, CREATE-20). */
  namespaceState(namespace: string): 'active' | 'terminating' | 'missing';
  /**
   * Returns a check for the transaction that creates an object. It fails if the deletion of the namespace started after
   * `namespaceState` was called. Absent if the plane has no namespace objects.
   */
  namespaceCheck?(namespace: string): RevisionCheck | undefined;
  /**
   * Returns the object whose reconcile waits until this namespace is empty; `undefined` if no object waits. Each change
   * in the namespace requeues the returned object.
   */
  waitsForEmptyNamespace?(namespace: string): ObjectRef | undefined;
  /**
   * Returns the objects that must be reconciled because an object of this kind was written in the namespace, for
   * example a quota that counts the written object. Absent if no other process uses the store. Must be fast.
   */
  requeuedByUsage?(
    resource: StoredResource,
    namespace: string,
    old: StoredRecord | undefined,
    next: StoredRecord | undefined,
  ): readonly ObjectRef[];
  /** Tracks whether any object of the plane has an owner. If absent, every removal queries the store for dependents. */
  readonly ownerTracker?: OwnerTracker;
  /**
   * The key of a row that announces new maintenance work of the plane to all processes. The row is written in the
   * transaction that records the work. Absent if no other process uses the store.
   */
  readonly bell?: Key;
  /** Limits the memory for the selectors of open watches. If absent, this memory is not limited. */
  readonly selectorBudget?: SelectorBudget;
  /**
   * Returns the kind and key of the object that an owner reference names, even if this object does not exist.
   * `undefined` if the plane does not have the owner's kind.
   */
  resolveOwner(reference: OwnerReference, namespace: string): ResolvedOwner | undefined;
  /**
   * Sets members of a new object that depend on other objects of the plane, in place, for example the default storage
   * class of a claim. Called before the kind's own hooks, but not for writes of the server itself.
   */
  completeNew?(resource: StoredResource, object: KubeObject): void;
  /**
   * False if the plane has no mutating policies or webhooks now, so that `mutate` would leave every write unchanged.
   */
  isMutating?(): boolean;
  /**
   * Runs mutating admission and returns the object to store for a client's write. Returns `write.object` itself if
   * nothing changes it. Called before the kind's own hooks, for creates, updates and status writes, including dry runs.
   * Throws StatusError to reject the write. It can take as long as a call to a webhook, so the caller must not hold a
   * lock or queue position that other requests wait for.
   */
  mutate?(write: MutationAttributes): Promise<KubeObject>;
  /**
   * Admits a client's write after the kind's own validation and before the write is stored. Throws StatusError to
   * reject the write. Called for create, update, patch, apply and delete, on objects and subresources, including dry
   * runs and writes that change nothing. A collection delete calls it for each object.
   */
  admit?(write: AdmissionAttributes): void | Promise<void>;
}

export interface ResolvedOwner {
  readonly group: string;
  /** The plural resource name of the owner's kind. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** The uid of the owner; '' if the owner does not exist. Absent if it is unknown whether the owner exists. */
  readonly uid?: string;
}

/** Generates random identifiers. Tests pass a deterministic implementation. */
export interface IdGenerator {
  uid(): string;
  /** Returns the five characters that are appended to `generateName` (rule CREATE-12). */
  suffix(): string;
}

export interface KindLimits {
  /** The maximum size of a stored object, in bytes of UTF-8. */
  readonly objectBytes: number;
  /** The maximum number of owner references of an object. */
  readonly ownerReferences: number;
  /** The maximum number of events that are queued for a slow watch. If it is exceeded, the watch ends. */
  readonly watchQueue: number;
  /**
   * The maximum total size of the events that are queued for a slow watch, in characters. If it is exceeded, the watch
   * ends.
   */
  readonly watchQueueSize: number;
  /** The number of recent changes in memory. A watch that resumes from an older revision reads the store's history. */
  readonly recentChanges: number;
  /** The maximum total size of the recent changes in memory, in characters. */
  readonly recentSize: number;
  /** The maximum total size of decoded objects, in characters of their stored text. */
  readonly decodedSize: number;
}

export const defaultKindLimits: KindLimits = {
  // Equals the limit for a request body. Every accepted body can therefore be stored, and patches cannot grow an object
  // beyond the size of a body.
  objectBytes: 3_145_728,
  ownerReferences: maxOwnerReferences,
  // Only a client that has stopped reading falls this far behind. A queued event is only a pointer to a shared object.
  watchQueue: 1_000,
  // Ten objects of the maximum size fit into the queue. A thousand objects of typical size take a tenth of the limit.
  watchQueueSize: 32 * 1024 * 1024,
  // Enough for a watch of a busy kind to reconnect within a few seconds. Each change holds two versions of an object.
  recentChanges: 500,
  recentSize: 16 * 1024 * 1024,
  // Several thousand objects of typical size. Decoded, they take four to six times as much memory.
  decodedSize: 4 * 1024 * 1024,
};

/** The state that the verbs of one stored kind share. */
export interface KindRuntime {
  /**
   * The definition of the kind. It may be replaced at any time, so a write must read it once and use the same
   * definition until its end.
   */
  resource: StoredResource;
  readonly store: Store;
  readonly slice: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly ids: IdGenerator;
  readonly planeCallbacks: PlaneCallbacks;
  /** The secret from which `guardKey` derives which subjects of a limit share a guard. */
  readonly guardSecret: string;
  readonly limits: KindLimits;
  readonly cache: ObjectCache;
  /** The watches of the kind. They receive each change of `cache`. */
  readonly subscribers: SubscriberGroups;
  /** Queues for creates that must run one after another (see `StoredResource.createQueue`). */
  readonly createQueues: KeyedSerializer;
  /** Called after a commit that wrote maintenance rows, with the work that these rows record. */
  onMaintenanceWork(left: MaintenanceWork): void;
}
