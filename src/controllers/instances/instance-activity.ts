/** The use of virtual clusters, as their gateways report it. Instances are identified by their uid. */
export interface InstanceActivity {
  /** Time of the last use, in milliseconds since the epoch; `undefined` if not used since the server started. */
  lastActivity(uid: string): number | undefined;
  /** Calls back on each use. Returns a function that unsubscribes. */
  onActivity(listener: (uid: string) => void): () => void;
}
