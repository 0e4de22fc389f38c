import type { OwnerReference } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Lanes } from '../lib/lanes.ts';
import type { Check, Store } from '../store/store.ts';
import type { AdmittedWrite } from './admission.ts';
import type { LeftWork } from './left-work.ts';
import type { OwnersKnown } from './owners-known.ts';
import type { StoredResource } from './resource.ts';
import type { ObjectPlace } from './rows.ts';
import type { ObjectCache } from './watch-cache.ts';
import type { WatchGroups } from './watch-groups.ts';

/** What a kind must ask of the control plane around it. */
export interface Collaborators {
  /** Asked before anything is created in a namespace (rules CREATE-19, CREATE-20). */
  namespaceState(namespace: string): 'active' | 'terminating' | 'missing';
  /**
   * What must still hold when the object is written, so that nothing is created in a namespace whose deletion began
   * between the question and the write. Absent: the namespaces of this plane are nobody's objects.
   */
  namespaceCheck?(namespace: string): Check | undefined;
  /** Whose `settle` waits for this namespace to be empty: it is looked at again after each change in there. */
  awaitsEmptiness?(namespace: string): ObjectPlace | undefined;
  /** What is known of owners and dependents in the plane, all of its kinds together. Absent: the store is asked. */
  readonly owners?: OwnersKnown;
  /** Where the object lies that an owner reference names; undefined: no such kind here. It need not exist. */
  resolveOwner(reference: OwnerReference, namespace: string): OwnerPlace | undefined;
  /**
   * Asked for each write of a client after the kind's own validation and before it is stored, dry runs too: create,
   * update, patch, apply, of the object or a subresource, even where nothing changes; delete, and each of a
   * collection. Throws StatusError to refuse it.
   */
  admit?(write: AdmittedWrite): void | Promise<void>;
}

export interface OwnerPlace {
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Of the object that is there now; '': there is none. Absent: nobody can tell. */
  readonly uid?: string;
}

/** Where new identities come from; tests bring their own. */
export interface Ids {
  uid(): string;
  /** The five characters that follow a generateName (rule CREATE-12). */
  suffix(): string;
}

export interface KindLimits {
  /** The longest stored form of an object, in bytes of UTF-8. */
  readonly objectBytes: number;
  /** Events that wait for one slow watcher before its stream is ended. */
  readonly watchQueue: number;
  /** The same, as the size of the objects in them: a few changes of large objects are many. */
  readonly watchQueueSize: number;
  /** Changes kept in memory for watches that resume; older ones come from the store's history. */
  readonly recentChanges: number;
  /** The size of the objects in them, in characters. */
  readonly recentSize: number;
  /** Objects kept in decoded form, as the size of their text in characters. */
  readonly decodedSize: number;
}

export const defaultLimits: KindLimits = {
  // The limit of a request's body: what can be sent can be stored, and patches cannot pile up beyond it.
  objectBytes: 3_145_728,
  // A client that reads at all keeps up with bursts of this size; each waiting event is a shared pointer.
  watchQueue: 1_000,
  // Ten objects of the largest size; a thousand of the usual one are a tenth of it.
  watchQueueSize: 32 * 1024 * 1024,
  // Covers a reconnect of a few seconds in a busy kind; each one holds two versions of an object.
  recentChanges: 500,
  recentSize: 16 * 1024 * 1024,
  // Some thousand objects of the usual size, which take four to six times as much when they are decoded.
  decodedSize: 4 * 1024 * 1024,
};

/** What the verbs of one stored kind share. */
export interface KindRuntime {
  /** Replaced when the kind is redefined: who needs one definition for all of a write takes it once. */
  resource: StoredResource;
  readonly store: Store;
  readonly slice: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly collaborators: Collaborators;
  readonly limits: KindLimits;
  readonly cache: ObjectCache;
  /** Told of each change of the cache. */
  readonly watchers: WatchGroups;
  /** Creates that wait for each other. */
  readonly lanes: Lanes;
  /** Called after a commit that left work for upkeep. */
  onUpkeep(left: LeftWork): void;
}
