import type { Log } from '../../lib/log.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { FencedStore } from './fenced-store.ts';

/** A plane in memory. */
export interface LoadedPlane {
  readonly plane: ControlPlane;
  readonly fence: FencedStore;
}

/** One place in memory: of a plane that is being loaded, or is there. */
export interface Berth {
  readonly id: string;
  /** Undefined: there is no such plane. */
  readonly loading: Promise<LoadedPlane | undefined>;
  loaded: LoadedPlane | undefined;
  /** Whoever uses the plane at the moment. */
  pins: number;
  /** How often it was let go of while somebody else used it. */
  releases: number;
  bytes: number;
}

/** About what a plane takes beside its kinds: what its parts remember, its documents' names, its observers. */
const bytesPerPlane = 32 * 1024;

/** To ask all caches of a plane takes longer than many a request in it. */
const releasesPerSize = 32;

/** Never loads anything, and asks nobody: it adds up what the caches say. */
export function planeBytes(plane: Pick<ControlPlane, 'stores'>): number {
  let bytes = bytesPerPlane;
  for (const store of plane.stores()) bytes += store.bytes();
  return bytes;
}

/**
 * The planes in memory. Those that nobody uses are put away, the one first that was not used for longest, when they take
 * more than the budget together. What is in use stays, however much it takes, and does not push out the others. So does
 * what was used last: one that is larger than the budget would be loaded anew for each request in it.
 */
export class LoadedPlanes {
  readonly #budget: number;
  readonly #log: Log;
  readonly #berths = new Map<string, Berth>();
  /** Those without pins, in the order in which they were last used. */
  readonly #idle = new Map<string, Berth>();
  #bytes = 0;
  #idleBytes = 0;

  constructor(budget: number, log: Log) {
    this.#budget = budget;
    this.#log = log;
  }

  get size(): number {
    return this.#berths.size;
  }

  /** As it was when each plane was last used. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): Berth | undefined {
    return this.#berths.get(id);
  }

  /** Takes a place for a plane that is being loaded. */
  add(id: string, loading: Promise<LoadedPlane | undefined>): Berth {
    const berth: Berth = { id, loading, loaded: undefined, pins: 0, releases: 0, bytes: 0 };
    this.#berths.set(id, berth);
    return berth;
  }

  /** Until `unpin`, it is not put away. */
  pin(berth: Berth): void {
    berth.pins++;
    this.#takeFromIdle(berth);
  }

  unpin(berth: Berth): void {
    berth.pins--;
    // One that could not be loaded, or was removed meanwhile, is no longer here.
    if (this.#berths.get(berth.id) !== berth || berth.loaded === undefined) return;
    // What is in use all the time is asked for its size now and then only: it is not put away in any case.
    if (berth.pins > 0 && berth.releases++ % releasesPerSize !== 0) return;
    const bytes = planeBytes(berth.loaded.plane);
    this.#bytes += bytes - berth.bytes;
    berth.bytes = bytes;
    if (berth.pins > 0) return;
    this.#idle.set(berth.id, berth);
    this.#idleBytes += bytes;
    this.#putAway();
  }

  /** It is no longer here, whoever uses it. */
  drop(berth: Berth): void {
    if (this.#berths.get(berth.id) !== berth) return;
    this.#berths.delete(berth.id);
    this.#takeFromIdle(berth);
    this.#bytes -= berth.bytes;
    berth.bytes = 0;
  }

  all(): readonly Berth[] {
    return [...this.#berths.values()];
  }

  #takeFromIdle(berth: Berth): void {
    if (this.#idle.get(berth.id) !== berth) return;
    this.#idle.delete(berth.id);
    this.#idleBytes -= berth.bytes;
  }

  #putAway(): void {
    for (const berth of this.#idle.values()) {
      if (this.#idleBytes <= this.#budget || this.#idle.size === 1) return;
      this.drop(berth);
      berth.loaded?.plane.close();
      this.#log.debug({ plane: berth.id, planes: this.size, bytes: this.#bytes }, 'a control plane was put away');
    }
  }
}
