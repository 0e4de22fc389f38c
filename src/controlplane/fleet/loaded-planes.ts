import type { Log } from '../../lib/log.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { FencedStore } from './fenced-store.ts';

/** A plane in memory. */
export interface LoadedPlane {
  readonly plane: ControlPlane;
  readonly fence: FencedStore;
}

/** The entry of a plane that is loaded or being loaded. */
export interface PlaneEntry {
  readonly id: string;
  /** Resolves with `undefined` if there is no such plane. */
  readonly loading: Promise<LoadedPlane | undefined>;
  loaded: LoadedPlane | undefined;
  /** The number of current users of the plane. */
  pins: number;
  /** The number of releases while the plane had other users. */
  releases: number;
  bytes: number;
}

/** The estimated size of a plane without its kinds: the caches of its parts, document names, observers. */
const bytesPerPlane = 32 * 1024;

/**
 * Summing up all caches of a plane takes longer than many requests, so a busy plane is measured once per this many
 * releases.
 */
const releasesPerMeasurement = 32;

/** The estimated size of a plane: the sum that its caches report. Loads nothing. */
export function planeBytes(plane: Pick<ControlPlane, 'stores'>): number {
  let bytes = bytesPerPlane;
  for (const store of plane.stores()) bytes += store.bytes();
  return bytes;
}

/**
 * The planes in memory. When the idle planes together exceed the budget, the least recently used ones are unloaded to
 * disk. Planes in use stay, however much memory they take, and do not count against the budget. The most recently used
 * plane stays too: one that is larger than the budget would otherwise be loaded again for each request.
 */
export class LoadedPlanes {
  readonly #budget: number;
  readonly #log: Log;
  readonly #entries = new Map<string, PlaneEntry>();
  /** Entries without pins, least recently used first. */
  readonly #idle = new Map<string, PlaneEntry>();
  #bytes = 0;
  #idleBytes = 0;

  constructor(budget: number, log: Log) {
    this.#budget = budget;
    this.#log = log;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The total size, as measured when each plane was last released. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): PlaneEntry | undefined {
    return this.#entries.get(id);
  }

  /** Adds an entry for a plane that is being loaded. */
  add(id: string, loading: Promise<LoadedPlane | undefined>): PlaneEntry {
    const entry: PlaneEntry = { id, loading, loaded: undefined, pins: 0, releases: 0, bytes: 0 };
    this.#entries.set(id, entry);
    return entry;
  }

  /** Prevents the plane from being unloaded until `unpin`. */
  pin(entry: PlaneEntry): void {
    entry.pins++;
    this.#takeFromIdle(entry);
  }

  unpin(entry: PlaneEntry): void {
    entry.pins--;
    // A plane that failed to load, or was removed in the meantime, has no entry any more.
    if (this.#entries.get(entry.id) !== entry || entry.loaded === undefined) return;
    // A plane in constant use is measured only now and then: it is not unloaded anyway.
    if (entry.pins > 0 && entry.releases++ % releasesPerMeasurement !== 0) return;
    const bytes = planeBytes(entry.loaded.plane);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    if (entry.pins > 0) return;
    this.#idle.set(entry.id, entry);
    this.#idleBytes += bytes;
    this.#unloadIdle();
  }

  /** Removes the entry, even if the plane is in use. */
  removeEntry(entry: PlaneEntry): void {
    if (this.#entries.get(entry.id) !== entry) return;
    this.#entries.delete(entry.id);
    this.#takeFromIdle(entry);
    this.#bytes -= entry.bytes;
    entry.bytes = 0;
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
      this.removeEntry(entry);
      entry.loaded?.plane.close();
      this.#log.debug(
        { plane: entry.id, planes: this.size, bytes: this.#bytes },
        'unloaded an idle control plane to disk',
      );
    }
  }
}
