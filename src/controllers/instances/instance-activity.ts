/** Reports the use of virtual clusters. Gateways observe this use. Instances are identified by their uid. */
export interface InstanceActivity {
  /** Time of the last use in milliseconds since the epoch; `undefined` if unused since the server started. */
  lastActivity(uid: string): number | undefined;
  /**
   * Makes `lastActivity` include the uses that other replicas have observed before this call. Absent if there are no other
   * replicas.
   */
  refresh?(uid: string): Promise<void>;
  /** Calls `listener` on each use of an instance. Returns a function that unsubscribes. */
  onActivity(listener: (uid: string) => void): () => void;
}
