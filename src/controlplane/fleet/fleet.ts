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
  /** What planes may take in memory together, in bytes. Those in use are not put away, however much they take. */
  readonly memoryBudget: number;
  /** The digest of what stands in each plane (`standingDigest`). Another than the plane's own costs it one write. */
  readonly standing: string;
  /** Opens a plane that exists, over a store that is its own. `birth` is the row of its birth. */
  open(id: string, store: Store, birth: Entry | undefined): Promise<ControlPlane>;
}

/** A plane that stays in memory until it is let go. */
export interface Borrowed {
  readonly plane: ControlPlane;
  /** To be called once nobody uses it any more: a request is answered, its watch is over. Once is enough. */
  release(): void;
}

/**
 * Control planes by id, as many as the disk holds. One that nobody uses is rows in the store; whoever asks for it finds
 * it loaded or has it loaded, once for all who ask at the same time.
 */
export interface Fleet {
  /** Makes a plane. One that is there stays as it is. Throws 503 while one of that id is being removed. */
  create(id: string): Promise<void>;
  /** What makes a plane of an id that none has had: for whoever writes it together with something of their own. */
  birth(id: string): Write;
  /**
   * Undefined: there is no such plane (any more). Rejects if it cannot be loaded; the next one tries again. From the
   * moment of the call the plane is not put away.
   */
  borrow(id: string): Promise<Borrowed | undefined>;
  /** The same, and makes the plane where there is none. Undefined: one of that id is being removed. */
  borrowOrCreate(id: string): Promise<Borrowed | undefined>;
  /** Borrows it for the length of some work. Undefined: there is no such plane. */
  use<T>(id: string, work: (plane: ControlPlane) => Promise<T>): Promise<T | undefined>;
  /** The same for upkeep. */
  readonly planeSource: PlaneSource;
  /**
   * Removes a plane with everything that is in the store for it; settles when nothing is left. Its watches end, its
   * writes are refused. One that is not there is removed already. After a crash the next start finishes it.
   */
  remove(id: string): Promise<void>;
  /** How many are in memory, and about how many bytes they take. */
  readonly loaded: { readonly planes: number; readonly bytes: number };
  /** Finishes what a crash has left half removed. */
  resume(): Promise<void>;
  /** Puts all of them away, used or not. */
  close(): void;
}

export function createFleet(options: FleetOptions): Fleet {
  const { store, clock, log } = options;
  const planes = new LoadedPlanes(options.memoryBudget, log);
  const removals = new Map<string, Promise<void>>();
  const working = new PlanesWithWork(store);
  const erase = planeEraser(store, working);
  let closed = false;

  const birthWrite = (id: string): Write => ({ key: birthKey(id), value: birthText(clock, options.standing) });

  async function create(id: string): Promise<void> {
    const removal = { key: removalKey(id), revision: undefined };
    const birth = { key: birthKey(id), revision: undefined };
    try {
      await store.transact({ checks: [birth, removal], writes: [birthWrite(id)] });
    } catch (error) {
      const failed = error instanceof StoreError && error.code === 'CheckFailed' ? error.detail : undefined;
      if (failed === 0) return;
      if (failed === 1) throw serviceUnavailable(`the control plane ${id} is still being removed`, 1);
      await translated(Promise.reject(error));
    }
  }

  async function load(id: string, mayCreate: boolean): Promise<LoadedPlane | undefined> {
    const birth = await birthOf(store, id);
    if (birth === undefined) {
      if (!mayCreate) return undefined;
      await create(id);
    }
    const fence: FencedStore = fencedStore(store, (transaction) => working.note(transaction));
    return { plane: await options.open(id, fence.store, birth), fence };
  }

  function berthOf(id: string, mayCreate: boolean): Berth {
    const present = planes.get(id);
    if (present !== undefined) return present;
    const berth = planes.add(id, load(id, mayCreate));
    berth.loading.then(
      (loaded) => {
        berth.loaded = loaded;
        if (loaded === undefined) planes.drop(berth);
        else if (closed) loaded.plane.close();
      },
      () => planes.drop(berth),
    );
    return berth;
  }

  async function borrow(id: string, mayCreate = false): Promise<Borrowed | undefined> {
    if (closed) throw serviceUnavailable('the server is shutting down', 1);
    if (removals.has(id)) return undefined;
    const berth = berthOf(id, mayCreate);
    planes.pin(berth);
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      planes.unpin(berth);
    };
    try {
      const loaded = await berth.loading;
      if (loaded !== undefined) return { plane: loaded.plane, release };
    } catch (error) {
      release();
      throw error;
    }
    release();
    // Who looked for it before had no right to make it.
    return mayCreate ? borrow(id, mayCreate) : undefined;
  }

  async function remove(id: string): Promise<void> {
    // Whoever asks from here on is told that it is not there; who is just loading it must be done first.
    const berth = planes.get(id);
    await berth?.loading.catch(() => {});
    if (!(await translated(markRemoved(store, id)))) return;
    if (berth !== undefined) {
      planes.drop(berth);
      berth.loaded?.plane.close();
      await berth.loaded?.fence.shut();
    }
    await translated(erase(id));
  }

  return {
    create,
    birth: birthWrite,
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
      const underWay = removals.get(id);
      if (underWay !== undefined) return underWay;
      const removing = remove(id).finally(() => removals.delete(id));
      removals.set(id, removing);
      return removing;
    },
    get loaded() {
      return { planes: planes.size, bytes: planes.bytes };
    },
    async resume() {
      const ids = await translated(unfinishedRemovals(store));
      if (ids.size > 0) await translated(erasePlanes(store, ids, working));
    },
    close() {
      closed = true;
      for (const berth of planes.all()) {
        planes.drop(berth);
        berth.loaded?.plane.close();
      }
    },
  };
}
