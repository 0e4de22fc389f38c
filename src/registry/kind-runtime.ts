import type { OwnerReference } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { KeyedSerializer } from '../lib/queue/keyed-serializer.ts';
import type { Check, Store } from '../store/store.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import type { ObjectCache } from './cache/watch-cache.ts';
import type { StoredResource } from './resource.ts';
import type { ObjectRef } from './rows/rows.ts';
import type { SubscriberGroups } from './watch/subscriber-groups.ts';
import type { MaintenanceWork } from './write/maintenance-work.ts';
import type { OwnerTracker } from './write/owner-tracker.ts';

/** The functions of the control plane that a kind depends on. */
export interface Collaborators {
  /** Called before an object is created in a namespace (rules CREATE-19, CREATE-20). */
  namespaceState(namespace: string): 'active' | 'terminating' | 'missing';
  /**
   * Returns a check for the transaction that creates an object, so that nothing is created in a namespace whose
   * deletion started after `namespaceState` was called. Absent: the plane has no namespace objects.
   */
  namespaceCheck?(namespace: string): Check | undefined;
  /**
   * Returns the object whose reconcile waits for this namespace to become empty; each change in it requeues that
   * object.
   */
  waitsForEmptyNamespace?(namespace: string): ObjectRef | undefined;
  /** The owner state of the plane, shared by all of its kinds. Absent: queries go to the store. */
  readonly ownerTracker?: OwnerTracker;
  /**
   * Locates the object of an owner reference, which need not exist; `undefined` if the plane does not have its kind.
   */
  resolveOwner(reference: OwnerReference, namespace: string): ResolvedOwner | undefined;
  /**
   * Called for each write of a client, after the kind's own validation and before the write is stored, including dry
   * runs: create, update, patch and apply of the object or a subresource, even without a change; delete, and each
   * delete of a collection. Throws StatusError to reject the write.
   */
  admit?(write: AdmissionAttributes): void | Promise<void>;
}

export interface ResolvedOwner {
  readonly group: string;
  /** The plural of the owner's kind. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** The uid of the existing owner; '' if the owner does not exist. Absent if that is unknown. */
  readonly uid?: string;
}

/** Generates identifiers; tests supply their own. */
export interface IdGenerator {
  uid(): string;
  /** The five characters that follow a generateName (rule CREATE-12). */
  suffix(): string;
}

export interface KindLimits {
  /** The maximum size of a stored object, in bytes of UTF-8. */
  readonly objectBytes: number;
  /** The maximum number of queued events for one slow watch before its stream is ended. */
  readonly watchQueue: number;
  /** The maximum total size of these events: a few changes of large objects use a lot of memory. */
  readonly watchQueueSize: number;
  /** The number of changes kept in memory for watches that resume; older ones are read from the store's history. */
  readonly recentChanges: number;
  /** The total size of the objects in these changes, in characters. */
  readonly recentSize: number;
  /** The capacity for decoded objects, as the size of their text in characters. */
  readonly decodedSize: number;
}

export const defaultLimits: KindLimits = {
  // The limit of a request body: every accepted body can be stored, and patches cannot grow an object beyond it.
  objectBytes: 3_145_728,
  // Any client that reads at all keeps up with bursts of this size; each queued event is a shared pointer.
  watchQueue: 1_000,
  // Ten objects of the maximum size; a thousand objects of typical size use a tenth of it.
  watchQueueSize: 32 * 1024 * 1024,
  // Covers a reconnect of a few seconds in a busy kind; each change holds two versions of an object.
  recentChanges: 500,
  recentSize: 16 * 1024 * 1024,
  // Several thousand objects of typical size, which take four to six times as much memory when decoded.
  decodedSize: 4 * 1024 * 1024,
};

/** The state that the verbs of one stored kind share. */
export interface KindRuntime {
  /** Replaced when the kind is redefined: a write that needs one consistent definition must read it once. */
  resource: StoredResource;
  readonly store: Store;
  readonly slice: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly ids: IdGenerator;
  readonly collaborators: Collaborators;
  readonly limits: KindLimits;
  readonly cache: ObjectCache;
  /** Receives each change of the cache. */
  readonly subscribers: SubscriberGroups;
  /** The queues of creates that must run one after another. */
  readonly createQueues: KeyedSerializer;
  /** Called after a commit that left maintenance work. */
  onMaintenanceWork(left: MaintenanceWork): void;
}
