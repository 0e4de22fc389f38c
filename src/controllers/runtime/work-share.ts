/** The part of a controller's keys that this process reconciles, if several processes divide the work. */
export interface WorkShare {
  /** True if this process reconciles the key now. */
  owns(key: string): boolean;
  /** Calls the listener each time this process has gained keys. Returns a function that removes the listener. */
  onGained(listener: () => void): () => void;
  /**
   * Adds a controller. `isRunning` returns true if the controller is reconciling a key for which `matches` returns
   * true; such keys are not handed over to other processes. Returns a function that removes the controller.
   */
  register(isRunning: (matches: (key: string) => boolean) => boolean): () => void;
}
