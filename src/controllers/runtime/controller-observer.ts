/** Observes the work of controllers, for metrics and traces. */
export interface ControllerObserver {
  /**
   * Called when a controller starts. `depth` returns the number of keys that wait in its queue. Returns a function to
   * call when the controller ends.
   */
  started(controller: string, depth: () => number): () => void;
  /**
   * Called before a reconcile. Returns a function that the controller calls after the reconcile. The returned function
   * must not throw.
   */
  reconciling(controller: string): (hasFailed: boolean) => void;
}
