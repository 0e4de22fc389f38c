/** What the load is made against; see `sides/ours.mjs`. */
export interface LoadTarget {
  readonly url: string;
  readonly ca: string;
  readonly authorization: string;
  readonly pids: readonly number[];
  /** Of the objects that are measured. */
  readonly api: string;
  readonly apiVersion: string;
  /** Of the management API. */
  readonly management: string;
}
export interface LoadClient {
  run(job: string, target: LoadTarget, options: object): Promise<unknown>;
  stop(): Promise<void>;
}
export function startLoadClient(signal: AbortSignal): LoadClient;
