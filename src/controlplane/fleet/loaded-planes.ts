import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { FencedStore } from './fenced-store.ts';

/** A plane that is loaded, and the fence that blocks its writes when the plane is removed. */
export interface LoadedPlane {
  readonly plane: ControlPlane;
  readonly fence: FencedStore;
  /** Closes the plane, and stops observing its creation row. */
  close(): void;
}

/** The bookkeeping for a plane that is loaded or being loaded. */
export interface PlaneEntry {
  readonly id: string;
  /** Resolves with the loaded plane, or with `undefined` if the plane does not exist. */
  readonly loading: Promise<LoadedPlane | undefined>;
  loaded: LoadedPlane | undefined;
  /** The number of callers that use the plane now. A plane with pins is not unloaded. */
  pins: number;
  /** The number of releases of the plane after which other callers still used it. */
  releases: number;
  bytes: number;
  /** The time on the monotonic clock at which the last caller released the plane. */
  idleSince: number;
}

/** The estimated memory of a plane in addition to its objects, in bytes. */
const bytesPerPlane = 32 * 1024;

/**
 * The memory of a plane in constant use is measured only once in this many releases. Adding up the sizes of all of its
 * caches takes longer than many requests.
 */
const releasesPerMeasurement = 32;

/** Returns the estimated memory use of a plane in bytes, as the sum of its caches. Does not load anything. */
export function estimatePlaneBytes(plane: Pick<ControlPlane, 'stores'>): number {
  let bytes = bytesPerPlane;
  for (const store of plane.stores()) bytes += store.bytes();
  return bytes;
}

/**
 * The planes in memory. If the idle planes exceed the memory budget, the least recently used ones are unloaded. Planes
 * in use are never unloaded and do not count. The most recently used plane also stays in memory. Otherwise, a plane
 * that is larger than the budget would be loaded again for each request.
 */
export class LoadedPlanes {
  readonly #budget: number;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #log: Log;
  readonly #entries = new Map<string, PlaneEntry>();
  /** Planes without pins, the least recently used first. */
  readonly #idle = new Map<string, PlaneEntry>();
  #bytes = 0;
  #idleBytes = 0;

  constructor(budget: number, clock: Pick<Clock, 'elapsed'>, log: Log) {
    this.#budget = budget;
    this.#clock = clock;
    this.#log = log;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The total memory of the loaded planes in bytes, measured when planes are released. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): PlaneEntry | undefined {
    return this.#entries.get(id);
  }

  /** Adds an entry for a plane whose load has started. */
  add(id: string, loading: Promise<LoadedPlane | undefined>): PlaneEntry {
    const entry: PlaneEntry = { id, loading, loaded: undefined, pins: 0, releases: 0, bytes: 0, idleSince: 0 };
    this.#entries.set(id, entry);
    return entry;
  }

  /** Prevents the plane from being unloaded until `unpin` is called. */
  pin(entry: PlaneEntry): void {
    entry.pins++;
    this.#takeFromIdle(entry);
  }

  unpin(entry: PlaneEntry): void {
    entry.pins--;
    // Do nothing if the plane could not be loaded, or was removed in the meantime.
    if (this.#entries.get(entry.id) !== entry || entry.loaded === undefined) return;
    // Measure a plane in constant use only occasionally, because it is not unloaded anyway.
    if (entry.pins > 0 && entry.releases++ % releasesPerMeasurement !== 0) return;
    const bytes = estimatePlaneBytes(entry.loaded.plane);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    if (entry.pins > 0) return;
    entry.idleSince = this.#clock.elapsed();
    this.#idle.set(entry.id, entry);
    this.#idleBytes += bytes;
    this.#unloadIdle();
  }

  /** Removes the entry of a plane, even if the plane is in use. */
  removeEntry(entry: PlaneEntry): void {
    if (this.#entries.get(entry.id) !== entry) return;
    this.#entries.delete(entry.id);
    this.#takeFromIdle(entry);
    this.#bytes -= entry.bytes;
    entry.bytes = 0;
  }

  /** Unloads the planes that were not used for `milliseconds`, except planes for which `isKept` returns true. */
  unloadUnused(milliseconds: number, isKept: (id: string) => boolean): void {
    const since = this.#clock.elapsed() - milliseconds;
    for (const entry of this.#idle.values()) {
      // Stop here: planes are sorted by last use, so all further planes were used later.
      if (entry.idleSince > since) return;
      if (!isKept(entry.id)) this.#unload(entry);
    }
  }

  all(): readonly PlaneEntry[] {
    return [...this.#entries.values()];
  }

  #takeFromIdle(entry: PlaneEntry): void {
    if (this.#idle.get(entry.id) !== entry) return;
    this.#idle.delete(entry.id);
    this.#idleBytes -= entry.bytes;
  }

  #unloadIdle(): void {
    for (const entry of this.#idle.values()) {
      if (this.#idleBytes <= this.#budget || this.#idle.size === 1) return;
      this.#unload(entry);
    }
  }

  #unload(entry: PlaneEntry): void {
    this.removeEntry(entry);
    entry.loaded?.close();
    this.#log.debug(
      { plane: entry.id, planes: this.size, bytes: this.#bytes },
      'unloaded an idle control plane to disk',
    );
  }
}
