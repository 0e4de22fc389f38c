import { serviceUnavailable } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { removalKey } from '../../registry/rows.ts';
import { translated } from '../../registry/store-status.ts';
import type { Entry, Store, Write } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { ControlPlane } from '../control-plane.ts';
import { birthKey, birthOf, birthText } from '../plane-birth.ts';
import type { PlaneSource } from '../upkeep/plane-objects.ts';
import { erasePlanes, markRemoved, planeEraser, unfinishedRemovals } from './erase-plane.ts';
import { type FencedStore, fencedStore } from './fenced-store.ts';
import { type Berth, type LoadedPlane, LoadedPlanes } from './loaded-planes.ts';
import { PlanesWithWork } from './planes-with-work.ts';

export interface FleetOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** The memory limit for idle planes, in bytes. Planes in use are not unloaded, however much memory they take. */
  readonly memoryBudget: number;
  /** The digest of the built-in objects of each plane. A plane with a different one is rewritten once. */
  readonly standing: string;
  /** Opens an existing plane over its own store. `creationRow` is the plane's creation row. */
  open(id: string, store: Store, creationRow: Entry | undefined): Promise<ControlPlane>;
}

/** A plane that stays in memory until it is released. */
export interface Borrowed {
  readonly plane: ControlPlane;
  /** Releases the plane. Call it when the request is answered or its watch has ended. Repeated calls have no effect. */
  release(): void;
}

/**
 * Control planes by id, limited only by disk space. An unused plane exists only as rows in the store. It is loaded on
 * demand, once for all concurrent callers.
 */
export interface Fleet {
  /** Creates a plane. An existing plane stays unchanged. Throws 503 while a plane of that id is being removed. */
  create(id: string): Promise<void>;
  /** The write that creates a plane of an unused id, for callers that include it in a transaction of their own. */
  birth(id: string): Write;
  /**
   * Loads a plane and pins it from the moment of the call. Resolves with `undefined` if there is no such plane. Rejects
   * if it cannot be loaded; the next call tries again.
   */
  borrow(id: string): Promise<Borrowed | undefined>;
  /**
   * Like `borrow`, but creates a missing plane. Resolves with `undefined` while a plane of that id is being removed.
   */
  borrowOrCreate(id: string): Promise<Borrowed | undefined>;
  /** Borrows the plane for the duration of `work`. Resolves with `undefined` if there is no such plane. */
  use<T>(id: string, work: (plane: ControlPlane) => Promise<T>): Promise<T | undefined>;
  /** Borrows planes for maintenance. */
  readonly planeSource: PlaneSource;
  /**
   * Removes a plane with all of its stored data; resolves when nothing is left. Its watches end and its writes are
   * refused. Removing a plane that does not exist succeeds. After a crash the next start completes the removal.
   */
  remove(id: string): Promise<void>;
  /** The number of planes in memory, and roughly how many bytes they take. */
  readonly loaded: { readonly planes: number; readonly bytes: number };
  /** Completes removals that a crash has interrupted. */
  resume(): Promise<void>;
  /** Unloads all planes, in use or not. */
  close(): void;
}

export function createFleet(options: FleetOptions): Fleet {
  const { store, clock, log } = options;
  const planes = new LoadedPlanes(options.memoryBudget, log);
  const removals = new Map<string, Promise<void>>();
  const workTracker = new PlanesWithWork(store);
  const erase = planeEraser(store, workTracker);
  let closed = false;

  const creationWrite = (id: string): Write => ({ key: birthKey(id), value: birthText(clock, options.standing) });

  async function create(id: string): Promise<void> {
    const removal = { key: removalKey(id), revision: undefined };
    const creationRow = { key: birthKey(id), revision: undefined };
    try {
      await store.transact({ checks: [creationRow, removal], writes: [creationWrite(id)] });
    } catch (error) {
      const failed = error instanceof StoreError && error.code === 'CheckFailed' ? error.detail : undefined;
      if (failed === 0) return;
      if (failed === 1) throw serviceUnavailable(`the control plane ${id} is still being removed`, 1);
      await translated(Promise.reject(error));
    }
  }

  async function load(id: string, mayCreate: boolean): Promise<LoadedPlane | undefined> {
    const creationRow = await birthOf(store, id);
    if (creationRow === undefined) {
      if (!mayCreate) return undefined;
      await create(id);
    }
    const fence: FencedStore = fencedStore(store, (transaction) => workTracker.note(transaction));
    return { plane: await options.open(id, fence.store, creationRow), fence };
  }

  function entryOf(id: string, mayCreate: boolean): Berth {
    const present = planes.get(id);
    if (present !== undefined) return present;
    const entry = planes.add(id, load(id, mayCreate));
    entry.loading.then(
      (loaded) => {
        entry.loaded = loaded;
        if (loaded === undefined) planes.drop(entry);
        else if (closed) loaded.plane.close();
      },
      () => planes.drop(entry),
    );
    return entry;
  }

  async function borrow(id: string, mayCreate = false): Promise<Borrowed | undefined> {
    if (closed) throw serviceUnavailable('the server is shutting down', 1);
    if (removals.has(id)) return undefined;
    const entry = entryOf(id, mayCreate);
    planes.pin(entry);
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      planes.unpin(entry);
    };
    try {
      const loaded = await entry.loading;
      if (loaded !== undefined) return { plane: loaded.plane, release };
    } catch (error) {
      release();
      throw error;
    }
    release();
    // A concurrent caller that may not create planes has started this load: try again.
    return mayCreate ? borrow(id, mayCreate) : undefined;
  }

  async function remove(id: string): Promise<void> {
    // From here on callers find no plane. A load in progress has to finish first.
    const entry = planes.get(id);
    await entry?.loading.catch(() => {});
    if (!(await translated(markRemoved(store, id)))) return;
    if (entry !== undefined) {
      planes.drop(entry);
      entry.loaded?.plane.close();
      await entry.loaded?.fence.shut();
    }
    await translated(erase(id));
  }

  return {
    create,
    birth: creationWrite,
    borrow: (id) => borrow(id),
    borrowOrCreate: (id) => borrow(id, true),
    async planeSource(id) {
      const borrowed = await borrow(id);
      return borrowed && { id, stores: () => borrowed.plane.stores(), release: borrowed.release };
    },
    async use(id, work) {
      const borrowed = await borrow(id);
      if (borrowed === undefined) return undefined;
      try {
        return await work(borrowed.plane);
      } finally {
        borrowed.release();
      }
    },
    remove(id) {
      const inProgress = removals.get(id);
      if (inProgress !== undefined) return inProgress;
      const removing = remove(id).finally(() => removals.delete(id));
      removals.set(id, removing);
      return removing;
    },
    get loaded() {
      return { planes: planes.size, bytes: planes.bytes };
    },
    async resume() {
      const ids = await translated(unfinishedRemovals(store));
      if (ids.size > 0) await translated(erasePlanes(store, ids, workTracker));
    },
    close() {
      closed = true;
      for (const entry of planes.all()) {
        planes.drop(entry);
        entry.loaded?.plane.close();
      }
    },
  };
}
