/** The usage of a plane since the last report. */
export interface PlaneUsage {
  readonly planeId: string;
  /** The number of stored objects, and their size in memory in bytes (estimated). Absent if the plane is not loaded. */
  readonly size?: { readonly objects: number; readonly bytes: number };
  /** The time for which a worker was busy for the plane, in milliseconds. Absent if the plane runs on the main thread. */
  readonly workMs?: number;
}
