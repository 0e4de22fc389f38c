/** Observes the work of controllers, for metrics and traces. */
export interface ControllerObserver {
  /** Called when a controller starts. `depth` returns the number of its keys that wait. Returns a function for its end. */
  started(controller: string, depth: () => number): () => void;
  /** Called before a reconcile. The returned function is called after it. It must not throw. */
  reconciling(controller: string): (hasFailed: boolean) => void;
}
