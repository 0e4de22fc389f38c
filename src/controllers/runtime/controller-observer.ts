/** Observes the work of controllers, for metrics and traces. */
export interface ControllerObserver {
  /**
   * Called when a controller starts. `depth` returns the number of keys that wait in its queue. Returns a function to
   * call when the controller ends.
   */
  started(controller: string, depth: () => number): () => void;
  /** Called before a reconcile. The returned function is called after the reconcile, and must not throw. */
  reconciling(controller: string): (hasFailed: boolean) => void;
}
