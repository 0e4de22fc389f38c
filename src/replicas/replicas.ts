import type { ReplicaList } from '../api/replicas/replica-list.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { RevisionCheck, Store } from '../store/store.ts';
import type { CacheState, FormerRow, ReplicaDetails } from './replica-rows.ts';
import type { StartWork } from './tenure.ts';

export interface ReplicasOptions {
  /** The ID of this replica. It must be unique among the replicas of the store. */
  readonly id: string;
  /** Returns the properties of this replica. Called when it registers. */
  details(): ReplicaDetails;
  /** Returns the state of the caches of this process, for other replicas. Optional. */
  caches?(): CacheState | undefined;
  /** Returns the IDs of the root keys of this process, for other replicas. Optional. */
  rootKeys?(): readonly string[] | undefined;
  readonly store: Pick<Store, 'isShared' | 'get' | 'list' | 'transact'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A registered replica, as other replicas reach it. */
export interface ReplicaPeer {
  readonly id: string;
  /** The host and port at which the replica listens for other replicas; `undefined` if it does not listen. */
  readonly peerAddress: string | undefined;
}

/** A replica that is no longer registered. */
export interface FormerReplica extends FormerRow {
  readonly id: string;
}

/** The registered replicas, and the replicas that have left in the last month. */
export interface ReplicaPeers {
  readonly members: readonly ReplicaPeer[];
  readonly former: readonly FormerReplica[];
}

/** This process as one of the replicas that share a store and divide the background work among themselves. */
export interface Replicas {
  /**
   * Registers this replica and starts its work. If the store is not shared, does nothing, because `run` has already
   * started the work.
   */
  start(): void;
  /**
   * Runs background work in every tenure of this replica. The returned function ends the work, and resolves after it
   * has stopped.
   */
  run(start: StartWork): () => Promise<void>;
  /** True if this replica holds the term now. */
  owns(term: string): boolean;
  /**
   * Calls the listener with the shards that this replica prefers, now and each time the registered replicas change.
   * Never called if the store is not shared. The returned function removes the listener.
   */
  followPreferredShards(listener: (shards: readonly string[]) => void): () => void;
  /** Returns the schema of the store and the state of all replicas; an empty list if the store is not shared. */
  list(): Promise<Pick<ReplicaList, 'schema' | 'items'>>;
  /** Returns all replicas with their addresses; none if the store is not shared. */
  peers(): Promise<ReplicaPeers>;
  /** Reports that a transaction failed because of this check. If it is the current fence, the tenure ends. */
  reportFailedCheck(check: RevisionCheck): void;
  /** Stops all work and removes the registration, so that other replicas continue the work immediately. */
  close(): Promise<void>;
}
