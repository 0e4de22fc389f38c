/** The server that the load is sent to; see `sides/ours.mjs`. */
export interface LoadTarget {
  readonly url: string;
  readonly ca: string;
  readonly authorization: string;
  readonly pids: readonly number[];
  /** The path of the API of the measured objects. */
  readonly api: string;
  readonly apiVersion: string;
  /** The path of the management API. */
  readonly management: string;
}
export interface LoadClient {
  run(job: string, target: LoadTarget, options: object): Promise<unknown>;
  stop(): Promise<void>;
}
export function startLoadClient(signal: AbortSignal): LoadClient;
