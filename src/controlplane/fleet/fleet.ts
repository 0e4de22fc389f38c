import { serviceUnavailable } from '../../api/status.ts';
import type { ApiSet } from '../../api/storage/api-set.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { planeRemovalKey } from '../../registry/rows/rows.ts';
import { withStatusErrors } from '../../registry/store-status.ts';
import { shardOf } from '../../replicas/shards.ts';
import type { Entry, RevisionCheck, Store, Transaction, Write } from '../../store/store.ts';
import { isStoreClosed, StoreError } from '../../store/store-error.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { PlaneSource } from '../maintenance/plane-stores.ts';
import {
  hasBuiltinObjects,
  PlaneRemovedError,
  planeApiOf,
  planeCreationKey,
  planeCreationRowText,
  readPlaneCreationRow,
} from '../plane-creation.ts';
import { createPlaneEraser, erasePlanes, listUnfinishedPlaneRemovals, markPlaneRemoved } from './erase-plane.ts';
import { type FencedStore, fencedStore } from './fenced-store.ts';
import { type LoadedPlane, LoadedPlanes, type PlaneEntry } from './loaded-planes.ts';
import { PlanesWithWork } from './planes-with-work.ts';

export interface FleetOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** The maximum memory of idle planes together, in bytes. Planes in use are never unloaded and do not count. */
  readonly memoryBudget: number;
  /**
   * Returns the digest of the built-in objects of planes with this set of kinds. If the creation row of a plane
   * contains another digest, the plane is updated when it is loaded.
   */
  builtinObjectsDigest(api: ApiSet): string;
  /**
   * Opens an existing plane. `creationRow` is the row that marks the plane as created. Rejects with PlaneRemovedError
   * if the plane was removed in the meantime.
   */
  open(id: string, store: Store, creationRow: Entry): Promise<ControlPlane>;
  /**
   * True if the plane must stay loaded after the store failed to deliver some changes of the plane's rows. The plane
   * then reads its objects again. Any other plane is unloaded, and the next request loads it. Optional; defaults to
   * false for all planes.
   */
  staysLoaded?(id: string): boolean;
  /**
   * Closes a plane that other threads may have loaded. Called at the start of the plane's removal; `isBeingRemoved` is
   * then true for the plane. Optional.
   */
  evictElsewhere?(id: string): Promise<void>;
}

/** A plane that cannot be unloaded until the borrower releases it. */
export interface BorrowedPlane {
  readonly plane: ControlPlane;
  /** Releases the plane. Must be called after the response is complete. Further calls have no effect. */
  release(): void;
}

/** The objects of a plane in memory, and their size in bytes (estimated). */
export interface PlaneSize {
  readonly id: string;
  readonly objects: number;
  readonly bytes: number;
}

/**
 * All control planes of the built-in cluster, by ID. A plane that is not in use exists only as rows in the store. A
 * plane is loaded on demand; concurrent callers share one load.
 */
export interface Fleet {
  /** Creates a plane if it does not exist. Throws 503 if a plane with the same ID is being removed. */
  create(id: string): Promise<void>;
  /**
   * Returns the write that creates a plane with an unused ID and this set of kinds. The caller includes the write in
   * its own transaction. `api` defaults to `minimal`.
   */
  creationWrite(id: string, api?: ApiSet): Write;
  /**
   * Loads a plane and pins it immediately. Resolves with `undefined` if the plane does not exist. Rejects if loading
   * fails; the next call tries again.
   */
  borrow(id: string): Promise<BorrowedPlane | undefined>;
  /** Borrows planes for the maintenance workers. */
  readonly planeSource: PlaneSource;
  /**
   * Removes a plane: ends its watches, rejects its writes and erases its stored data. Resolves after everything is
   * erased, or immediately if the plane does not exist. After a crash, `resumeRemovals` completes the removal.
   * Background work passes its `fence` (`RequestContext.fence`); if the fence fails, nothing is removed.
   */
  remove(id: string, fence?: RevisionCheck): Promise<void>;
  /** True during the removal of a plane. The plane must not be loaded then. */
  isBeingRemoved(id: string): boolean;
  /**
   * Closes a loaded plane: ends its watches and rejects its writes. Resolves after its last write has ended. The plane
   * remains in the store.
   */
  evict(id: string): Promise<void>;
  /**
   * Must be called before each write of a plane that another thread has loaded. The removal of the plane then finds the
   * maintenance rows that the write has recorded.
   */
  recordWrites(transaction: Transaction): void;
  /**
   * Sets the shards whose planes stay in memory as long as the budget allows. Another replica prefers the other shards,
   * so their planes are unloaded after a minute without use. Until the first call, all planes stay.
   */
  preferShards(shards: readonly string[]): void;
  /** The number of planes in memory, and the memory that they use, in bytes (estimated). */
  readonly loaded: { readonly planes: number; readonly bytes: number };
  /** Returns the number and the size of the objects of each plane in memory. This takes some time, so call it rarely. */
  sizes(): readonly PlaneSize[];
  /** Completes removals that were interrupted by a crash. Called when the server starts, or has become the leader. */
  resumeRemovals(fence?: RevisionCheck): Promise<void>;
  /** Unloads all planes, including planes in use. */
  close(): void;
}

/**
 * The time without use after which a plane that another replica prefers is unloaded. Loading the plane again costs as
 * much CPU time as about ten requests (decision 46), so a plane that is used less than once a minute may be loaded for
 * each use.
 */
const maxUnusedMs = 60_000;
const unloadIntervalMs = 10_000;

export function createFleet(options: FleetOptions): Fleet {
  return new PlaneFleet(options);
}

class PlaneFleet implements Fleet {
  readonly #options: FleetOptions;
  readonly #store: Store;
  readonly #planes: LoadedPlanes;
  readonly #removals = new Map<string, Promise<void>>();
  readonly #workTracker: PlanesWithWork;
  readonly #erase: (id: string, fence?: RevisionCheck) => Promise<void>;
  #preferredShards: ReadonlySet<string> | undefined;
  #cancelUnloading = () => {};
  #closed = false;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#planes = new LoadedPlanes(options.memoryBudget, options.clock, options.log);
    this.#workTracker = new PlanesWithWork(options.store);
    this.#erase = createPlaneEraser(options.store, this.#workTracker);
  }

  get loaded(): { readonly planes: number; readonly bytes: number } {
    return { planes: this.#planes.size, bytes: this.#planes.bytes };
  }

  sizes(): readonly PlaneSize[] {
    return this.#planes.all().flatMap(({ id, loaded }) => {
      if (loaded === undefined) return [];
      let objects = 0;
      let bytes = 0;
      for (const store of loaded.plane.stores()) {
        objects += store.count();
        bytes += store.objectBytes();
      }
      return [{ id, objects, bytes }];
    });
  }

  async create(id: string): Promise<void> {
    // If the plane exists, write nothing: the server must be able to start with a full disk.
    if ((await readPlaneCreationRow(this.#store, id)) !== undefined) return;
    const removal = { key: planeRemovalKey(id), revision: undefined };
    const creationRow = { key: planeCreationKey(id), revision: undefined };
    try {
      await this.#store.transact({ checks: [creationRow, removal], writes: [this.creationWrite(id)] });
    } catch (error) {
      const failed = error instanceof StoreError && error.code === 'CheckFailed' ? error.detail : undefined;
      if (failed === 0) return;
      if (failed === 1)
        throw serviceUnavailable(`the previous control plane ${id} is still being removed; try again later`, 1);
      await withStatusErrors(Promise.reject(error));
    }
  }

  creationWrite(id: string, api: ApiSet = 'minimal'): Write {
    const { clock } = this.#options;
    const builtinDigest = this.#options.builtinObjectsDigest(api);
    return { key: planeCreationKey(id), value: planeCreationRowText({ clock, builtinDigest, api }) };
  }

  async borrow(id: string): Promise<BorrowedPlane | undefined> {
    if (this.#closed) throw serviceUnavailable('the server is shutting down', 1);
    if (this.#removals.has(id)) return undefined;
    const entry = this.#entryOf(id);
    this.#planes.pin(entry);
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      this.#planes.unpin(entry);
    };
    try {
      const loaded = await entry.loading;
      if (loaded !== undefined) return { plane: loaded.plane, release };
    } catch (error) {
      release();
      throw error;
    }
    release();
    return undefined;
  }

  readonly planeSource: PlaneSource = async (id) => {
    const borrowed = await this.borrow(id);
    return borrowed && { id, stores: () => borrowed.plane.stores(), release: borrowed.release };
  };

  remove(id: string, fence?: RevisionCheck): Promise<void> {
    const inProgress = this.#removals.get(id);
    if (inProgress !== undefined) return inProgress;
    const removing = this.#remove(id, fence).finally(() => this.#removals.delete(id));
    this.#removals.set(id, removing);
    return removing;
  }

  isBeingRemoved(id: string): boolean {
    return this.#removals.has(id);
  }

  async evict(id: string): Promise<void> {
    const entry = this.#planes.get(id);
    if (entry === undefined) return;
    await entry.loading.catch(() => {});
    this.#planes.removeEntry(entry);
    entry.loaded?.close();
    await entry.loaded?.fence.closeWrites();
  }

  recordWrites(transaction: Transaction): void {
    this.#workTracker.recordWrites(transaction);
  }

  preferShards(shards: readonly string[]): void {
    const isFirst = this.#preferredShards === undefined;
    this.#preferredShards = new Set(shards);
    if (isFirst) this.#unloadRepeatedly();
  }

  async resumeRemovals(fence?: RevisionCheck): Promise<void> {
    const ids = await withStatusErrors(listUnfinishedPlaneRemovals(this.#store));
    const erasure = { ids, fences: fence === undefined ? [] : [fence] };
    if (ids.size > 0) await withStatusErrors(erasePlanes(this.#store, erasure, this.#workTracker));
  }

  close(): void {
    this.#closed = true;
    this.#cancelUnloading();
    for (const entry of this.#planes.all()) {
      this.#planes.removeEntry(entry);
      entry.loaded?.close();
    }
  }

  /** Unloads unused planes that other replicas prefer, at regular intervals. */
  #unloadRepeatedly(): void {
    if (this.#closed) return;
    this.#cancelUnloading = this.#options.clock.after(unloadIntervalMs, () => {
      const { staysLoaded } = this.#options;
      this.#planes.unloadUnused(
        maxUnusedMs,
        (id) => staysLoaded?.(id) === true || this.#preferredShards?.has(shardOf(id)) !== false,
      );
      this.#unloadRepeatedly();
    });
  }

  #entryOf(id: string): PlaneEntry {
    const present = this.#planes.get(id);
    if (present !== undefined) return present;
    const entry = this.#planes.add(id, this.#load(id));
    entry.loading.then(
      (loaded) => {
        entry.loaded = loaded;
        if (loaded === undefined) this.#planes.removeEntry(entry);
        else if (this.#closed) loaded.close();
      },
      () => this.#planes.removeEntry(entry),
    );
    return entry;
  }

  async #load(id: string): Promise<LoadedPlane | undefined> {
    const creationRow = await readPlaneCreationRow(this.#store, id);
    if (creationRow === undefined) return undefined;
    const stopFollowing = await this.#followCreationRow(id);
    try {
      // Read the row again, because it may have been replaced before the observation started.
      const current = this.#store.isShared ? await readPlaneCreationRow(this.#store, id) : creationRow;
      const opened = current && (await this.#open(id, current));
      if (opened === undefined) stopFollowing();
      const close = () => {
        stopFollowing();
        opened?.plane.close();
      };
      return opened && { ...opened, close };
    } catch (error) {
      stopFollowing();
      throw error;
    }
  }

  async #open(id: string, creationRow: Entry): Promise<Pick<LoadedPlane, 'plane' | 'fence'> | undefined> {
    const fence: FencedStore = fencedStore(
      this.#store,
      (transaction) => this.recordWrites(transaction),
      (error) => this.#observationEnded(id, error),
    );
    try {
      return { plane: await this.#options.open(id, fence.store, creationRow), fence };
    } catch (error) {
      if (error instanceof PlaneRemovedError) return undefined;
      throw error;
    }
  }

  /**
   * Observes the creation row of a plane. Unloads the plane in two cases: another process removes the plane, or a
   * server of another release replaces the plane's built-in objects, which changes their resourceVersion. The caller
   * must read the creation row after this call. Returns a function that ends the observation.
   */
  async #followCreationRow(id: string): Promise<() => void> {
    const { isShared } = this.#store;
    if (!isShared || this.#options.staysLoaded?.(id) === true) return () => {};
    const { slice, segments } = planeCreationKey(id);
    const observe = async () =>
      this.#store.observe({ slice, prefix: segments }, await this.#store.revision(id), {
        changes: (changes) => {
          const isReplaced = changes.some(({ value }) => !this.#hasBuiltinObjects(value));
          if (isReplaced) this.#unload(id, 'its built-in objects were replaced, or it was removed');
        },
        ended: (error) => this.#observationEnded(id, error),
      });
    return await withStatusErrors(observe());
  }

  /** True if a creation row contains this release's digest of the built-in objects for the plane's set of kinds. */
  #hasBuiltinObjects(value: string | undefined): boolean {
    return value !== undefined && hasBuiltinObjects(value, this.#options.builtinObjectsDigest(planeApiOf(value)));
  }

  /** Unloads a plane that has missed changes, or whose slice was removed by another process. */
  #observationEnded(id: string, error: StoreError): void {
    if (isStoreClosed(error) || this.#options.staysLoaded?.(id) === true) return;
    this.#unload(id, error.message);
  }

  #unload(id: string, reason: string): void {
    this.#options.log.info({ plane: id, reason }, 'unloading a control plane');
    void this.evict(id);
  }

  async #remove(id: string, fence: RevisionCheck | undefined): Promise<void> {
    // `#removals` now contains the ID, so the plane is not loaded again. Wait for a load that is in progress before the
    // plane is marked as removed.
    await Promise.all([this.evict(id), this.#options.evictElsewhere?.(id)]);
    if (!(await withStatusErrors(markPlaneRemoved(this.#store, id, fence)))) return;
    await withStatusErrors(this.#erase(id, fence));
  }
}
