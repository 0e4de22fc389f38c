import { serviceUnavailable } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { planeRemovalKey } from '../../registry/rows/rows.ts';
import { withStatusErrors } from '../../registry/store-status.ts';
import type { Entry, Store, Transaction, Write } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { PlaneSource } from '../maintenance/plane-stores.ts';
import { planeCreationKey, planeCreationRowText, readPlaneCreationRow } from '../plane-creation.ts';
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
   * The digest of the objects that every plane has without stored rows. If the creation row of a plane contains another
   * digest, the plane is updated when it is loaded.
   */
  readonly builtinObjectsDigest: string;
  /** Opens an existing plane. `creationRow` is the row that marks it as created; `undefined` if it was just created. */
  open(id: string, store: Store, creationRow: Entry | undefined): Promise<ControlPlane>;
  /**
   * Closes a plane that other threads may have loaded. Called at the start of its removal, while `isBeingRemoved` is true for
   * it. Optional.
   */
  evictElsewhere?(id: string): Promise<void>;
}

/** A plane that cannot be unloaded until the borrower releases it. */
export interface BorrowedPlane {
  readonly plane: ControlPlane;
  /** Releases the plane. Must be called after the response is complete. Further calls have no effect. */
  release(): void;
}

/**
 * All control planes of the built-in cluster, by ID. A plane that is not in use exists only as rows in the store. It is
 * loaded on demand; concurrent callers share one load.
 */
export interface Fleet {
  /** Creates a plane if it does not exist. Throws 503 if a plane with the same ID is being removed. */
  create(id: string): Promise<void>;
  /** Returns the write that creates a plane with an unused ID. The caller includes it in its own transaction. */
  creationWrite(id: string): Write;
  /**
   * Loads a plane and pins it immediately. Resolves with `undefined` if the plane does not exist. Rejects if loading
   * fails; the next call tries again.
   */
  borrow(id: string): Promise<BorrowedPlane | undefined>;
  /**
   * Like `borrow`, but creates the plane if it does not exist. Resolves with `undefined` if the plane is being removed.
   */
  borrowOrCreate(id: string): Promise<BorrowedPlane | undefined>;
  /** Calls `work` with a plane and releases the plane afterwards. Resolves with `undefined` if it does not exist. */
  withPlane<T>(id: string, work: (plane: ControlPlane) => Promise<T>): Promise<T | undefined>;
  /** Borrows planes for the maintenance workers. */
  readonly planeSource: PlaneSource;
  /**
   * Removes a plane: ends its watches, rejects its writes and erases its stored data. Resolves after everything is
   * erased, or immediately if the plane does not exist. After a crash, `resumeRemovals` completes the removal.
   */
  remove(id: string): Promise<void>;
  /** True during the removal of a plane. It must not be loaded then. */
  isBeingRemoved(id: string): boolean;
  /**
   * Closes a loaded plane: ends its watches and rejects its writes. Resolves after its last write has ended. The plane
   * remains in the store.
   */
  evict(id: string): Promise<void>;
  /**
   * Must be called before each write of a plane that another thread has loaded, so that its maintenance rows are found
   * when it is removed.
   */
  recordWrites(transaction: Transaction): void;
  /** The number of planes in memory, and the memory that they use, in bytes (estimated). */
  readonly loaded: { readonly planes: number; readonly bytes: number };
  /** Completes removals that were interrupted by a crash. Called when the server starts. */
  resumeRemovals(): Promise<void>;
  /** Unloads all planes, even those that are in use. */
  close(): void;
}

export function createFleet(options: FleetOptions): Fleet {
  return new PlaneFleet(options);
}

class PlaneFleet implements Fleet {
  readonly #options: FleetOptions;
  readonly #store: Store;
  readonly #planes: LoadedPlanes;
  readonly #removals = new Map<string, Promise<void>>();
  readonly #workTracker: PlanesWithWork;
  readonly #erase: (id: string) => Promise<void>;
  #closed = false;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#planes = new LoadedPlanes(options.memoryBudget, options.log);
    this.#workTracker = new PlanesWithWork(options.store);
    this.#erase = createPlaneEraser(options.store, this.#workTracker);
  }

  get loaded(): { readonly planes: number; readonly bytes: number } {
    return { planes: this.#planes.size, bytes: this.#planes.bytes };
  }

  async create(id: string): Promise<void> {
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

  creationWrite(id: string): Write {
    return {
      key: planeCreationKey(id),
      value: planeCreationRowText(this.#options.clock, this.#options.builtinObjectsDigest),
    };
  }

  borrow(id: string): Promise<BorrowedPlane | undefined> {
    return this.#borrow(id, false);
  }

  borrowOrCreate(id: string): Promise<BorrowedPlane | undefined> {
    return this.#borrow(id, true);
  }

  readonly planeSource: PlaneSource = async (id) => {
    const borrowed = await this.borrow(id);
    return borrowed && { id, stores: () => borrowed.plane.stores(), release: borrowed.release };
  };

  async withPlane<T>(id: string, work: (plane: ControlPlane) => Promise<T>): Promise<T | undefined> {
    const borrowed = await this.borrow(id);
    if (borrowed === undefined) return undefined;
    try {
      return await work(borrowed.plane);
    } finally {
      borrowed.release();
    }
  }

  remove(id: string): Promise<void> {
    const inProgress = this.#removals.get(id);
    if (inProgress !== undefined) return inProgress;
    const removing = this.#remove(id).finally(() => this.#removals.delete(id));
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
    entry.loaded?.plane.close();
    await entry.loaded?.fence.closeWrites();
  }

  recordWrites(transaction: Transaction): void {
    this.#workTracker.recordWrites(transaction);
  }

  async resumeRemovals(): Promise<void> {
    const ids = await withStatusErrors(listUnfinishedPlaneRemovals(this.#store));
    if (ids.size > 0) await withStatusErrors(erasePlanes(this.#store, ids, this.#workTracker));
  }

  close(): void {
    this.#closed = true;
    for (const entry of this.#planes.all()) {
      this.#planes.removeEntry(entry);
      entry.loaded?.plane.close();
    }
  }

  async #borrow(id: string, mayCreate: boolean): Promise<BorrowedPlane | undefined> {
    if (this.#closed) throw serviceUnavailable('the server is shutting down', 1);
    if (this.#removals.has(id)) return undefined;
    const entry = this.#entryOf(id, mayCreate);
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
    // The load was started by a caller of `borrow`, which does not create planes. Try again.
    return mayCreate ? this.#borrow(id, mayCreate) : undefined;
  }

  #entryOf(id: string, mayCreate: boolean): PlaneEntry {
    const present = this.#planes.get(id);
    if (present !== undefined) return present;
    const entry = this.#planes.add(id, this.#load(id, mayCreate));
    entry.loading.then(
      (loaded) => {
        entry.loaded = loaded;
        if (loaded === undefined) this.#planes.removeEntry(entry);
        else if (this.#closed) loaded.plane.close();
      },
      () => this.#planes.removeEntry(entry),
    );
    return entry;
  }

  async #load(id: string, mayCreate: boolean): Promise<LoadedPlane | undefined> {
    const creationRow = await readPlaneCreationRow(this.#store, id);
    if (creationRow === undefined) {
      if (!mayCreate) return undefined;
      await this.create(id);
    }
    const fence: FencedStore = fencedStore(this.#store, (transaction) => this.recordWrites(transaction));
    return { plane: await this.#options.open(id, fence.store, creationRow), fence };
  }

  async #remove(id: string): Promise<void> {
    // `#removals` contains the ID now, so the plane is not loaded again. A load that is in progress must finish before
    // the plane is marked as removed.
    await Promise.all([this.evict(id), this.#options.evictElsewhere?.(id)]);
    if (!(await withStatusErrors(markPlaneRemoved(this.#store, id)))) return;
    await withStatusErrors(this.#erase(id));
  }
}
