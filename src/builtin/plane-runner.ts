import type { TaskRunner } from '../controlplane/maintenance/maintenance-task.ts';
import type { PlaneTarget } from '../gateway/gateway-target.ts';
import type { PlaneUsage } from './plane-usage.ts';

/** A loaded plane. It is not unloaded before `release` is called. */
export interface OpenedPlane {
  readonly target: PlaneTarget;
  /** Releases the plane. Must be called once, after the last response is complete. */
  release(): void;
}

/** Runs the control planes of virtual clusters, on this thread or on worker threads. */
export interface PlaneRunner {
  /**
   * Loads a plane if necessary. A plane on this thread is pinned before the first await, so it cannot be removed after
   * that. A plane on a worker may be unloaded or removed between two calls of the plane. Resolves with `undefined` if
   * the plane does not exist. Rejects with an API error if the plane cannot be used now.
   */
  open(id: string): Promise<OpenedPlane | undefined>;
  /** Loads a plane. Rejects if it cannot be loaded. */
  probe(id: string): Promise<void>;
  /** Runs a maintenance task in its plane. */
  readonly runTask: TaskRunner;
  /** The number of planes in memory, and the memory that they use, in bytes (estimated). */
  readonly loaded: { readonly planes: number; readonly bytes: number };
  /** Returns the usage of planes since the last call. Planes that are not loaded are absent. */
  takeUsage(): Promise<readonly PlaneUsage[]>;
}
