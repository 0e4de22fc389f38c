/** The share of a controller's keys that this process reconciles. Used if several processes divide the keys. */
export interface WorkShare {
  /** True if this process reconciles the key now. */
  owns(key: string): boolean;
  /** Calls the listener each time this process has gained keys. Returns a function that removes the listener. */
  onGained(listener: () => void): () => void;
  /**
   * Adds a controller. `isRunning` returns true if the controller is reconciling a key for which `matches` returns
   * true. Such keys are not handed over to other processes before the reconcile ends. Returns a function that removes
   * the controller.
   */
  register(isRunning: (matches: (key: string) => boolean) => boolean): () => void;
}
